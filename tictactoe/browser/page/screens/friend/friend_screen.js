/** The screen "A friend on another device": invitation, answer, the table, and what to do when a connection breaks. */

import { failureNotice } from "../../parts/failure.js";
import { h } from "../../parts/dom.js";
import { rememberLeft, rememberMatch } from "../../parts/kept_history.js";
import { keep, keepData, recall, recallData } from "../../parts/settings.js";
import { Copying, addressOfPage, sent } from "../../parts/sharing.js";
import { newNonce } from "../../play/commitment.js";
import { FriendMatch, isKeptFriend, isTerms } from "../../play/friend_match.js";
import { FriendSession, nameOf } from "../../play/friend_session.js";
import { wrongName } from "../../play/kept_match.js";
import { pointsOf } from "../../play/referee.js";
import { Connection, whyNot } from "./connection.js";
import { keyOf, readText, textOf } from "./invitation.js";

/**
 * @typedef {import("../screen.js").App} App
 * @typedef {import("./invitation.js").Invitation} Invitation
 * @typedef {import("./invitation.js").Answer} Answer
 * @typedef {object} Attempt  To connect.
 * @property {Connection} connection
 * @property {FriendSession} session
 * @property {boolean} invites
 * @property {string} link  Empty until it is known how this browser is reached.
 * @property {string} key  Of the invitation.
 */

const KEPT = "friend";
const NAME = "friend name";
/** What the tabs of this page hear, and no other page of the site. */
const TABS = `smbc-tictactoe ${new URL(".", location.href).pathname} friend`;
/** Milliseconds in which another tab takes an answer. */
const HAND_OVER = 1500;

/** What goes on outlives the screen, which is made anew when a preference changes. @type {FriendScreen | null} */
let only = null;

/** @param {App} app @param {import("../screen.js").MakeFriendTable} makeTable @returns {import("../screen.js").Screen} */
export function friendScreen(app, makeTable) {
  only ??= new FriendScreen(app, makeTable);
  const screen = only;
  screen.remake();
  return {
    title: "A friend on another device",
    element: screen.element,
    show: (address) => screen.show(address.split("/")[1] ?? ""),
    onKey: (event) => screen.table?.onKey(event),
  };
}

class FriendScreen {
  /** @param {App} app @param {import("../screen.js").MakeFriendTable} makeTable */
  constructor(app, makeTable) {
    this.app = app;
    this.makeTable = makeTable;
    this.element = h("div", { class: "play friend" });
    this.copying = new Copying(app.announce);
    /** The match, from its first connection on. @type {FriendSession | null} */
    this.session = null;
    /** @type {import("../screen.js").FriendTable | null} */
    this.table = null;
    /** @type {Attempt | null} */
    this.attempt = null;
    /** What has been opened and not yet accepted. @type {Invitation | null} */
    this.invitation = null;
    /** What went wrong last. */
    this.problem = "";
    /** Whether another tab goes on. */
    this.isDone = false;
    /** The match that the history has. */
    this.remembered = "";
    this.seen = "";
    this.tabs = typeof BroadcastChannel === "function" ? new BroadcastChannel(TABS) : null;
    this.tabs?.addEventListener("message", ({ data }) => this.#hearTab(data));
    addEventListener("storage", () => this.attempt === null && this.#restore().catch(() => {}));
    addEventListener("pagehide", () => this.attempt?.connection.close());
    addEventListener("pagehide", () => this.session?.transport?.close());
  }

  /** After a preference has changed. */
  remake() {
    if (this.session !== null) this.#sit(this.session);
  }

  /** @param {string} text  Of a link, empty without one. */
  async show(text) {
    if (text !== "") history.replaceState(null, "", "#friend");
    try {
      if (whyNot() === "") await this.#restore();
      if (whyNot() === "" && text !== "") await this.#open(text);
      this.#render(true);
    } catch (error) {
      this.element.replaceChildren(failureNotice(error));
    }
  }

  /** Take up the match that this browser has kept, where another tab has gone on with it, too. Rejects with DataError. */
  async #restore() {
    const kept = recallData(KEPT);
    if (kept === null || (this.session !== null && this.session.status !== "away")) return;
    const { catalogue } = this.app;
    const isGood = isKeptFriend(kept, (name) => catalogue.playable(name));
    const tree = isGood ? await catalogue.find(kept.terms.solution)?.loadTree() : undefined;
    try {
      if (!isGood || tree === undefined) throw new RangeError();
      const present = this.session?.game;
      if (present?.terms.id === kept.terms.id && present.log.length >= kept.log.length) return;
      const match = await FriendMatch.restored(kept, tree);
      if (match.phase === "over") this.remembered = kept.terms.id;
      this.#take(this.#newSession(match));
    } catch {
      keepData(KEPT, null);
      this.problem = "The match with a friend that this browser kept can no longer be read and is lost.";
    }
  }

  /** A link, or its text. @param {string} text */
  async #open(text) {
    this.problem = "";
    try {
      const read = readText(text);
      if (read.kind === "answer") await this.#answered(read, text);
      else this.#invited(read);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.problem = error.message;
    }
    this.#render(true);
  }

  /** @param {Invitation} invitation */
  #invited(invitation) {
    const { terms, goesOn } = invitation;
    if (!isTerms(terms, (name) => this.app.catalogue.playable(name))) {
      throw new RangeError("This invitation is to a match that this page does not have.");
    }
    const own = this.session?.game.terms.id === terms.id;
    if (goesOn && !own) {
      throw new RangeError("This link continues a match that this browser does not have. Ask for a new invitation.");
    }
    this.invitation = invitation;
  }

  /** @param {Answer} answer @param {string} text */
  async #answered(answer, text) {
    const { attempt } = this;
    if (attempt?.invites && attempt.key === answer.to) {
      try {
        await attempt.connection.connect(answer.contact);
      } catch {
        throw new RangeError("This answer does not fit the invitation, or has been used already.");
      }
      return;
    }
    const taken = new Promise((resolve) => {
      this.tabs?.addEventListener("message", ({ data }) => data?.taken === answer.to && resolve(true));
      setTimeout(() => resolve(false), HAND_OVER);
    });
    this.tabs?.postMessage({ answer: text, to: answer.to });
    this.isDone = await taken;
    this.problem = this.isDone
      ? "The answer has reached the tab where you made the invitation: continue there. You can close this tab."
      : "No tab of this browser is waiting for this answer. If your invitation is open elsewhere, paste the link there; " +
        "otherwise make a new one.";
  }

  /** Another tab, or another page of this site. @param {any} data */
  #hearTab(data) {
    const { attempt } = this;
    if (typeof data?.answer !== "string" || !attempt?.invites || data.to !== attempt.key) return;
    this.tabs?.postMessage({ taken: attempt.key });
    this.#open(data.answer);
  }

  /** @param {FriendMatch} match */
  #newSession(match) {
    /** @type {FriendSession} */
    const session = new FriendSession(match, () => this.#changed(session));
    return session;
  }

  /** Play it from now on. @param {FriendSession} session */
  #take(session) {
    if (this.session === session) return;
    if (this.session !== null && this.session.game.terms.id !== session.game.terms.id) this.#giveUp(this.session);
    this.session = session;
    this.#sit(session);
  }

  /** @param {FriendSession} session */
  #sit(session) {
    this.table = this.makeTable(this.app, session, () => this.#leave());
    this.seen = "";
    this.#changed(session);
  }

  /** @param {FriendSession} session */
  #changed(session) {
    if (session !== this.session) return;
    const { game } = session;
    if (["left", "foul", "accused"].includes(session.status)) keepData(KEPT, null);
    else if (game.log.length > 0) keepData(KEPT, game.kept);
    if (this.remembered !== game.terms.id && (game.phase === "over" || session.hasEnded)) {
      this.remembered = game.terms.id;
      if (game.phase === "over") rememberMatch(game.match);
      else rememberLeft(game.match);
    }
    this.table?.update().then(
      () => this.#render(false),
      (error) => this.element.prepend(failureNotice(error)),
    );
    this.#render(false);
  }

  /** For good. @param {FriendSession} session */
  #giveUp(session) {
    if (this.remembered !== session.game.terms.id) rememberLeft(session.game.match);
    this.remembered = session.game.terms.id;
    if (!session.hasEnded) session.leave();
    keepData(KEPT, null);
  }

  #leave() {
    if (this.session !== null) this.#giveUp(this.session);
    this.session = null;
    this.table = null;
    this.#drop();
    this.#render(true);
  }

  /** Stop trying to connect. */
  #drop() {
    this.attempt?.connection.close();
    this.attempt = null;
    this.invitation = null;
    this.copying.clear();
  }

  /**
   * @param {import("../../play/friend_match.js").Terms | null} terms  Of a new match; null to go on with the present one.
   * @param {Invitation | null} invitation  What is accepted; null to make one.
   */
  async #connect(terms, invitation) {
    this.#drop();
    this.problem = "";
    const { catalogue } = this.app;
    try {
      if (terms === null) await this.#restore();
      let { session } = this;
      if (terms !== null || session === null) {
        const own = ownName();
        const names = /** @type {[string, string]} */ ([own, nameOf(invitation?.name, own)]);
        const agreed = /** @type {import("../../play/friend_match.js").Terms} */ (terms);
        const tree = await /** @type {any} */ (catalogue.find(agreed.solution)).loadTree();
        session = this.#newSession(await FriendMatch.begun(agreed, invitation === null, names, tree));
      }
      const connection = new Connection(catalogue.manifest.stun ?? null, {
        opens: (opened) => this.#opened(opened),
        hears: (heard, data) => session.hear(heard, data),
        ends: (ended) => this.#ended(ended, session),
      });
      /** @type {Attempt} */
      const attempt = { connection, session, invites: invitation === null, link: "", key: "" };
      this.attempt = attempt;
      this.#render(true);
      const contact = await (invitation === null ? connection.invite() : connection.answer(invitation.contact));
      attempt.key = keyOf(invitation?.contact ?? contact);
      const { match, log, terms: agreed } = session.game;
      const text =
        invitation === null
          ? textOf({ kind: "invitation", contact, terms: agreed, name: match.names[0], goesOn: log.length > 0 })
          : textOf({ kind: "answer", contact, to: attempt.key });
      attempt.link = `${addressOfPage(catalogue.manifest)}#friend/${text}`;
    } catch (error) {
      this.#drop();
      this.problem = error instanceof Error ? error.message : String(error);
    }
    this.#render(true);
  }

  /** @param {Connection} connection */
  #opened(connection) {
    const { attempt } = this;
    if (attempt?.connection !== connection) return;
    this.attempt = null;
    this.copying.clear();
    this.#take(attempt.session);
    attempt.session.attach(connection);
  }

  /** @param {Connection} connection @param {FriendSession} session */
  #ended(connection, session) {
    session.detach(connection);
    if (this.attempt?.connection !== connection) return;
    this.#drop();
    const why = this.app.catalogue.manifest.stun
      ? "The networks may have blocked it."
      : "Both must be on the same network.";
    this.problem = `The two devices could not connect. ${why} Make a new link to try again.`;
    this.#render(true);
  }

  /** @param {boolean} focus  Whether something else is to be seen now that the person has asked for. */
  #render(focus) {
    const { attempt, session, invitation } = this;
    const game = session?.game;
    const state = [session?.status, game?.terms.id, game?.match.names, game?.phase === "over", this.#isAtTable];
    const seen = JSON.stringify([state, attempt?.link, attempt?.invites, invitation, this.problem, this.isDone]);
    if (seen === this.seen) return;
    const begins = this.#isAtTable && !this.element.contains(this.table?.element ?? null);
    this.seen = seen;
    const content = this.#content();
    this.element.replaceChildren(...content);
    const [first] = content;
    if ((focus || begins) && first instanceof HTMLElement && this.element.isConnected) {
      first.tabIndex = -1;
      first.focus({ preventScroll: true });
    }
  }

  /** Whether a round has begun. */
  get #isAtTable() {
    return this.table?.element.hasChildNodes() === true;
  }

  /** Above the table, which has a heading of its own. @param {string} text */
  #heading(text) {
    return h(this.#isAtTable ? "p" : "h1", { class: "status" }, text);
  }

  /** @returns {HTMLElement[]} */
  #content() {
    const { session, table } = this;
    const why = whyNot();
    if (why !== "") return [this.#unable(why)];
    if (this.isDone) return [card(h("h1", {}, "The answer has arrived"), h("p", { role: "status" }, this.problem))];
    const told = this.problem === "" ? [] : [h("p", { class: "notice", role: "alert" }, this.problem)];
    const atTable = table !== null && this.#isAtTable ? [table.element] : [];
    const step =
      this.attempt !== null
        ? [this.#linkCard(this.attempt)]
        : this.invitation !== null
          ? [this.#invitationCard(this.invitation)]
          : session === null
            ? [this.#setUp()]
            : this.#statusCards(session);
    return [...told, ...step, ...atTable];
  }

  /** @param {string} why */
  #unable(why) {
    const { address } = this.app.catalogue.manifest;
    const elsewhere = address?.startsWith("https:") ? address : null;
    const doThis =
      elsewhere === null
        ? [
            "Put the page on a web server that uses HTTPS: ",
            h("code", {}, "tictactoe page -o page/"),
            " writes the page, and any server will do. Then open the page there on both devices.",
          ]
        : ["It works at ", h("a", { href: `${elsewhere}#friend` }, elsewhere), ": open that address on both devices."];
    return card(
      h("h1", {}, "A friend on another device"),
      h("p", {}, why),
      h("p", {}, ...doThis),
      h("p", {}, "Two people can share one device, too: in Play, under More."),
      h("a", { class: "button", href: "#play/new" }, "Back to Play"),
    );
  }

  #setUp() {
    const { solutions, first } = this.app.catalogue;
    const rules = h("select", { id: "friend-rules" });
    rules.append(...solutions.map(({ name, data }) => h("option", { value: name }, data.rules.title)));
    const length = h("select", { id: "friend-length" });
    const fill = () => {
      const most = this.app.catalogue.find(rules.value)?.winningScore ?? first.winningScore;
      const points = Array.from({ length: most }, (_, index) => String(index + 1));
      length.replaceChildren(...points.map((value) => h("option", { value }, value)));
      length.value = String(Math.min(3, most));
    };
    rules.addEventListener("change", fill);
    fill();
    const begin = () =>
      this.#connect({ id: newNonce(), solution: rules.value, winningScore: Number(length.value) }, null);
    return card(
      h("h1", {}, "A friend on another device"),
      h(
        "p",
        {},
        "You send a link, your friend sends one back, and you play. You need no account, and no server is in between.",
      ),
      ...this.#named("Make an invitation", begin, [
        h("label", {}, "When a round ends ", rules),
        h("label", {}, "Points that win the match ", length),
      ]),
      this.#pasteForm("Or paste a link that you received"),
      h("a", { class: "button quiet", href: "#play/new" }, "Back to Play"),
    );
  }

  /**
   * A name, what happens next, and the button for it.
   *
   * @param {string} words
   * @param {() => void} go
   * @param {HTMLElement[]} more
   */
  #named(words, go, more = []) {
    const input = h("input", { id: "friend-name", type: "text", autocomplete: "nickname" });
    input.value = ownName();
    const wrong = h("p", { class: "wrong", role: "alert" });
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      const name = input.value.trim().replace(/\s+/g, " ");
      wrong.textContent = wrongName(name) && (name === "" ? "You need a name." : wrongName(name));
      if (wrong.textContent) input.focus();
      else {
        keep(NAME, name);
        go();
      }
    };
    return [
      h(
        "form",
        { class: "choices", onsubmit },
        h("label", {}, "Your name ", input),
        ...more,
        h("p", { class: "muted" }, this.#way()),
        wrong,
        h("button", { class: "button main", type: "submit" }, words),
      ),
    ];
  }

  /** How the two devices find each other, said before anything is done. */
  #way() {
    const { stun } = this.app.catalogue.manifest;
    const direct = "The two devices talk to each other directly, and each learns the other\u2019s network address.";
    return stun
      ? `${direct} When you press the button, your browser asks ${stun} how it can be reached from other networks; ` +
          "that server learns your network address, but nothing about the match."
      : `${direct} Both must be on the same network, such as one Wi-Fi.`;
  }

  /** @param {Invitation} invitation */
  #invitationCard(invitation) {
    const { goesOn, terms, contact } = invitation;
    const decline = h("button", { class: "button", type: "button", onclick: () => this.#dismiss() }, "Not now");
    if (goesOn && this.session !== null) {
      const { match } = this.session.game;
      return card(
        this.#heading(`${match.names[1]} wants to continue`),
        h("p", {}, `The score is ${scoreOf(match)}. Accept, and send the answer back.`),
        h("p", { class: "muted" }, this.#way()),
        h(
          "div",
          { class: "actions" },
          button("Accept", () => this.#connect(null, invitation), true),
          decline,
        ),
      );
    }
    const solution = this.app.catalogue.find(terms.solution);
    const other = this.session !== null && this.session.game.phase !== "over" && !this.session.hasEnded;
    return card(
      this.#heading(`${nameOf(invitation.name, "")} invites you to a match to ${terms.winningScore}`),
      h("p", {}, solution?.data.rules.text ?? ""),
      ...(other ? [h("p", {}, "This ends your other match with a friend; Review keeps its finished rounds.")] : []),
      ...this.#named("Accept", () => this.#connect(terms, { ...invitation, contact })),
      decline,
    );
  }

  #dismiss() {
    this.#drop();
    this.#render(true);
  }

  /** @param {Attempt} attempt */
  #linkCard({ invites, link, session }) {
    const friend = session.game.log.length > 0 || !invites ? session.game.match.names[1] : "your friend";
    const cancel = button("Cancel", () => this.#dismiss());
    if (link === "") return card(this.#heading("Looking for a way to reach your friend\u2026"), cancel);
    const words = invites
      ? "Play Tic-Tac-Tell with me: open this link, then send me the answer that you get."
      : "My answer: open this link where you made the invitation.";
    const copy = () =>
      this.copying.copy(
        link,
        "The link is copied.",
        "This browser does not let the page copy: copy the link yourself.",
      );
    const share = async () => {
      if (!(await sent({ text: words, url: link }))) await copy();
    };
    const canShare = typeof navigator.share === "function";
    return card(
      this.#heading(invites ? `1. Send this link to ${friend}` : `Send this answer back to ${friend}`),
      h(
        "div",
        { class: "actions" },
        ...(canShare ? [button("Send the link", share, true)] : []),
        button("Copy the link", copy, !canShare),
      ),
      h("input", { class: "link", type: "text", readonly: true, value: link, "aria-label": "The link" }),
      this.copying.element,
      ...(invites
        ? [
            h("p", { class: "status" }, "2. Open the answer"),
            h("p", {}, "Open the answer in this browser, or paste it here. Leave this tab open."),
            this.#pasteForm("The answer that you received"),
          ]
        : [h("p", {}, `Leave this tab open: the match begins here when ${friend} opens the answer.`)]),
      cancel,
    );
  }

  /** @param {string} label */
  #pasteForm(label) {
    const field = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#open(field.value);
    };
    return h(
      "form",
      { class: "paste", onsubmit },
      h("label", {}, h("span", { class: "muted" }, label), field),
      h("button", { class: "button", type: "submit" }, "Open"),
    );
  }

  /** @param {FriendSession} session */
  #statusCards(session) {
    const { game, status } = session;
    const { match } = game;
    const friend = match.names[1];
    const anew = button("New invitation", () => this.#leave());
    if (status === "here" || status === "greeting") {
      return this.#isAtTable ? [] : [card(this.#heading(`${friend} is here: goals are being dealt\u2026`))];
    }
    if (status === "away") {
      if (game.phase === "over") return [card(this.#heading(`${friend} is no longer connected.`), anew)];
      return [
        card(
          this.#heading(`${friend} is not connected.`),
          h(
            "p",
            {},
            `The score is ${scoreOf(match)}. Make a new link and send it, or open the one that ${friend} sends. ` +
              "The match continues where you both were.",
          ),
          h(
            "div",
            { class: "actions" },
            button("Make a new link", () => this.#connect(null, null), true),
            button("Continue against a bot", () => this.#handToBot()),
            button("End the match", () => this.#leave()),
          ),
          this.#pasteForm(`The link from ${friend}`),
        ),
      ];
    }
    const goOn = game.phase === "over" ? [] : [button("Continue against a bot", () => this.#handToBot())];
    return [
      card(
        ...endWords(session).map((text, index) => (index === 0 ? this.#heading(text) : h("p", {}, text))),
        h("div", { class: "actions" }, anew, ...goOn),
      ),
    ];
  }

  #handToBot() {
    this.table?.handToBot();
    this.#leave();
  }
}

/** Why a match has ended before it was over. @param {FriendSession} session */
function endWords({ status, foul, game }) {
  const { match } = game;
  const friend = match.names[1];
  if (status === "left") return [`${friend} has left the match.`];
  if (status === "accused") {
    const said = `${friend}\u2019s page has ended the match: it says that this page broke the rules of the exchange.`;
    return [said, "Load the page again on both devices, and begin a new match."];
  }
  if (status === "apart") {
    return ["The two pages have kept different matches, which they cannot continue. Begin a new match."];
  }
  const points = game.pointsAfterFoul;
  const wins = points[0] >= match.winningScore ? ` ${match.names[0]} wins the match.` : "";
  return [
    `${friend}\u2019s page ${foul}.`,
    `${friend} loses this round: ${scoreOf(match, points)}.${wins} The connection is closed; the match ` + "ends here.",
  ];
}

/** @param {import("../../play/referee.js").MatchRecord} match @param {[number, number]} [points] */
function scoreOf(match, [mine, theirs] = pointsOf(match)) {
  return `${match.names[0]} ${mine} : ${theirs} ${match.names[1]}`;
}

function ownName() {
  const name = recall(NAME);
  return name !== null && wrongName(name) === "" ? name : "";
}

/** @param {...HTMLElement} content */
function card(...content) {
  return h("section", { class: "card" }, ...content);
}

/** @param {string} text @param {() => void} onclick @param {boolean} [main] */
function button(text, onclick, main = false) {
  return h("button", { class: main ? "button main" : "button", type: "button", onclick }, text);
}
