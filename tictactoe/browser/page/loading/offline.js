/** Keeping the page for use without a network; service-worker.js does it. */

/**
 * Have the browser keep the page: at once what the first play needs, and all the rest when there is nothing else to do.
 * Where it cannot (an old browser, a private window, a page without https), the page works all the same with a network.
 */
export async function keepForOffline() {
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register("service-worker.js", { updateViaCache: "none" });
    const { active } = await navigator.serviceWorker.ready;
    whenIdle(() => active?.postMessage("keep everything"));
  } catch {
    // Kept or not, nothing changes for the person now.
  }
}

/** @param {() => void} act */
function whenIdle(act) {
  if ("requestIdleCallback" in window) requestIdleCallback(act, { timeout: 10000 });
  else setTimeout(act, 2000);
}
