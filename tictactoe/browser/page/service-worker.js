/**
 * Keeps the page for use without a network. A browser runs it beside the page; it starts only for a page that
 * tictactoe page has written, which says in files.js what there is.
 *
 * Every build has a cache of its own, and its modules have addresses of their own: a window that shows an earlier build
 * goes on with that one until it is loaded again. A file is kept only if it is the one that the build lists. Where the
 * page is gone from its address, or another one has taken its place, the worker removes itself and all that it has kept.
 *
 * @typedef {{ build: string, first: string[], files: Record<string, string> }} Page  first: what the first play needs;
 *   files: SHA-256 in base64 of every file, by its path below the page's folder.
 */

const worker = /** @type {ServiceWorkerGlobalScope & { PAGE: Page }} */ (/** @type {unknown} */ (self));
importScripts("files.js");

const { build, first, files } = worker.PAGE;
const SCOPE = worker.registration.scope;
const PREFIX = `smbc-tictactoe ${SCOPE} `;
const INDEX = "index.html";

/** Of a file, where index.html is the folder itself: servers lead from the one to the other. @param {string} name */
const address = (name) => SCOPE + (name === INDEX ? "" : name);

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("message", (event) => event.waitUntil(retireOrKeep()));
worker.addEventListener("fetch", (event) => {
  const name = retired ? null : nameOf(event.request);
  if (name !== null) event.respondWith(answer(name, event.request));
});

async function install() {
  await Promise.all(first.map(keep));
  await worker.skipWaiting();
}

let retired = false;

/** When a visitor's page is there. Without a network, or where the server is in trouble, all stays as it is. */
async function retireOrKeep() {
  const ask = (/** @type {RequestRedirect} */ redirect) =>
    fetch(address("files.js"), { cache: "no-store", redirect }).catch(() => null);
  const found = (await ask("follow")) ?? (await ask("manual")); // no worker may follow to another server
  const isGone = found?.ok
    ? !(await found.text()).startsWith("self.PAGE")
    : found?.type === "opaqueredirect" || [404, 410].includes(found?.status ?? 0);
  if (!isGone) {
    await keepEverything();
    return;
  }
  retired = true;
  await fetch(SCOPE, { cache: "reload", redirect: "manual" }); // the browser's own cache may have the page, too
  await worker.registration.unregister();
  for (const name of await caches.keys()) if (name.startsWith(PREFIX)) await caches.delete(name);
}

/** All the rest, one file after the other; then goes what earlier builds kept, unless a window may show one of them. */
async function keepEverything() {
  for (const name of Object.keys(files)) await keep(name);
  const windows = await worker.clients.matchAll({ includeUncontrolled: true, type: "window" });
  if (windows.filter((window) => window.url.startsWith(SCOPE)).length > 1) return;
  // In the order in which they were made: one behind this build's belongs to a build that is about to take its place.
  const made = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  for (const name of made.slice(0, made.indexOf(PREFIX + build))) await caches.delete(name);
}

/**
 * Which file of the page is asked for, in this build or an earlier one; null for anything else.
 *
 * @param {Request} request
 */
function nameOf(request) {
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || !(origin + pathname).startsWith(SCOPE)) return null;
  const name = (origin + pathname).slice(SCOPE.length) || INDEX;
  return Object.hasOwn(files, name) || /^(page-[0-9a-f]{12}|data)\//.test(name) ? name : null;
}

/** @param {string} name @param {Request} request */
async function answer(name, request) {
  const here = { cacheName: PREFIX + build }; // asked so, a cache that is gone is not made anew
  const kept = await caches.match(address(name), here);
  if (kept !== undefined) return kept;
  if (Object.hasOwn(files, name)) {
    await keep(name).catch(() => undefined);
    return (await caches.match(address(name), here)) ?? fetch(request);
  }
  for (const cache of await caches.keys()) {
    const earlier = cache.startsWith(PREFIX) ? await (await caches.open(cache)).match(address(name)) : undefined;
    if (earlier !== undefined) return earlier;
  }
  return fetch(request);
}

/**
 * Load a file into this build's cache, unless it is there. Rejects when it is not the one that is listed.
 *
 * @param {string} name
 */
async function keep(name) {
  if (retired) throw new Error("the page is gone");
  const cache = await caches.open(PREFIX + build);
  if ((await cache.match(address(name))) !== undefined) return;
  // Files that are called alike in every build are asked for anew.
  const cached = name.includes("/") ? "no-cache" : "reload";
  const found = await fetch(address(name), { cache: cached, integrity: `sha256-${files[name]}` });
  if (!found.ok) throw new Error(`${name}: ${found.status}`);
  // A copy, which does not say by which redirection it was found: browsers refuse such an answer for a whole page.
  await cache.put(address(name), new Response(await found.blob(), { headers: found.headers }));
}
