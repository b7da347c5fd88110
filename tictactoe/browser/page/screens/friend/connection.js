/** A data channel from one browser to another, which needs an invitation and an answer, and no server. */

import { contactOf, sdpOf } from "./invitation.js";

/** @typedef {import("./invitation.js").Contact} Contact */

/** Milliseconds in which a browser finds out how it can be reached. */
const SEARCH = 4000;

/** Why no match with a friend can be played from this address, and what to do; empty where one can. */
export function whyNot() {
  if (typeof RTCPeerConnection !== "function") {
    return "This browser, or an add-on in it, does not let pages connect to another device. Try another browser.";
  }
  if (location.protocol === "https:") return "";
  return location.protocol === "file:"
    ? "This page is a file on your device, so a link to it does not work on your friend\u2019s."
    : "This page was not loaded over https, so a link to it does not work on your friend\u2019s device, or is not safe.";
}

/** One attempt. `ends` is called once, unless `close` comes before. */
export class Connection {
  /**
   * @param {string | null} stun  The server that may be asked how this browser is reached from elsewhere.
   * @param {object} told
   * @param {(connection: Connection) => void} told.opens
   * @param {(connection: Connection, data: unknown) => void} told.hears
   * @param {(connection: Connection) => void} told.ends
   */
  constructor(stun, told) {
    this.peer = new RTCPeerConnection({ iceServers: stun === null ? [] : [{ urls: `stun:${stun}` }] });
    this.channel = this.peer.createDataChannel("match", { negotiated: true, id: 0 });
    this.isOver = false;
    this.hasOpened = false;
    const end = () => {
      if (this.isOver) return;
      this.close();
      told.ends(this);
    };
    this.channel.onopen = () => {
      this.hasOpened = true;
      told.opens(this);
    };
    this.channel.onmessage = ({ data }) => told.hears(this, data);
    this.channel.onclose = end;
    this.peer.onconnectionstatechange = () => {
      // The player who answered waits for the other, however long a person takes to pass the answer on.
      if (this.peer.connectionState === "failed" && (this.hasOpened || this.invites)) end();
    };
    this.invites = false;
  }

  /** @returns {Promise<Contact>} */
  async invite() {
    this.invites = true;
    await this.peer.setLocalDescription(await this.peer.createOffer());
    return this.#found();
  }

  /** @param {Contact} contact  Of who invites. @returns {Promise<Contact>} */
  async answer(contact) {
    await this.peer.setRemoteDescription({ type: "offer", sdp: sdpOf(contact, true) });
    await this.peer.setLocalDescription(await this.peer.createAnswer());
    return this.#found();
  }

  /** @param {Contact} contact  Of who has answered. */
  async connect(contact) {
    await this.peer.setRemoteDescription({ type: "answer", sdp: sdpOf(contact, false) });
  }

  /** @param {string} text */
  send(text) {
    this.channel.send(text);
  }

  close() {
    this.isOver = true;
    this.peer.close();
  }

  /** How this browser is reached, once it has found that out. */
  async #found() {
    const { peer } = this;
    await new Promise((resolve) => {
      const look = () => peer.iceGatheringState === "complete" && resolve(null);
      peer.onicegatheringstatechange = look;
      setTimeout(() => resolve(null), SEARCH);
      look();
    });
    return contactOf(peer.localDescription?.sdp ?? "");
  }
}
