/** Three soft sounds, made here: no file is loaded. They are heard only by who has switched them on. */

import { prefers } from "./preferences.js";

/** By sound, its tones: hertz, seconds from the start, seconds that it rings. @type {Record<string, number[][]>} */
const TONES = {
  mark: [[330, 0, 0.09]],
  point: [
    [523, 0, 0.14],
    [659, 0.09, 0.22],
  ],
  match: [
    [523, 0, 0.16],
    [659, 0.11, 0.16],
    [784, 0.22, 0.4],
  ],
};
const LOUDNESS = 0.12;

/** Made by the first sound: browsers allow none before the person has touched the page. @type {AudioContext | null} */
let audio = null;

/** @param {"mark" | "point" | "match"} sound */
export function play(sound) {
  if (prefers("sound") !== "on" || typeof AudioContext === "undefined") return;
  audio ??= new AudioContext();
  const start = audio.currentTime;
  for (const [pitch, after, length] of TONES[sound]) {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.type = "triangle";
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(LOUDNESS, start + after);
    volume.gain.exponentialRampToValueAtTime(0.001, start + after + length);
    tone.connect(volume).connect(audio.destination);
    tone.start(start + after);
    tone.stop(start + after + length);
  }
}
