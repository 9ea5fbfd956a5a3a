/**
 * Frontdesk web chat: one file, no dependency, no build step.
 *
 *   <script async src="https://bot.example/widget.js" data-color="#0b6b5d"></script>
 *
 * data-title     heading of the chat (default: the bot's name)
 * data-color     accent colour, any CSS colour
 * data-position  right | left (default right)
 * data-open      "true" opens the chat at once
 * data-mount     "#id": fill that element instead of floating
 * data-locale    en | de | es | fr … (default: the page's language)
 *
 * The page needs `script-src` and `connect-src` for the bot's address, nothing
 * else: every node is built by createElement, every style is constructed.
 * Nothing is requested or stored before the visitor opens the chat.
 */
(() => {
  "use strict";

  const script = document.currentScript;
  if (!script || !("adoptedStyleSheets" in Document.prototype)) return;
  const options = script.dataset;
  const base = script.src.replace(/\/widget\.js([?#].*)?$/, "");
  const storageKey = "frontdesk:" + base;
  // The same tag twice on one page (tag managers do that) is still one chat.
  const once = Symbol.for(storageKey + (options.mount || ""));
  if (window[once]) return;
  window[once] = true;

  const TEXT_LIMIT = 2000; // characters in one message
  const SILENCE = 45000; // the server pings every 15-25 s; later the line is dead
  const ROUNDS = 10; // attempts without news before a message counts as failed

  // ---------------------------------------------------------------- words

  const WORDS = {
    en: {
      open: "Open chat", close: "Close chat", chat: "Chat", log: "Conversation", you: "You", write: "Write a message", send: "Send",
      tagline: "Answers with sources", fresh: "New conversation", typing: "{name} is typing", sources: "Sources", source: "Source {n}",
      passage: "Show the passage", up: "Helpful", down: "Not helpful", thanks: "Thank you", missing: "What was missing? (optional)",
      sending: "Sending…", failed: "Not sent", retry: "Try again", offline: "You are offline. Messages go out as soon as you are back.",
      lost: "The connection was lost.", down_: "The chat cannot be reached right now.", long: "That is {n} characters too many. Please shorten the message.",
      slow: "That was a little fast. Please wait a moment.", broken: "Something went wrong. Please try again.", noted: "No answer found", ask: "You could ask",
    },
    de: {
      open: "Chat öffnen", close: "Chat schließen", chat: "Chat", log: "Gespräch", you: "Sie", write: "Nachricht schreiben", send: "Senden",
      tagline: "Antworten mit Quellen", fresh: "Neues Gespräch", typing: "{name} schreibt", sources: "Quellen", source: "Quelle {n}",
      passage: "Textstelle zeigen", up: "Hilfreich", down: "Nicht hilfreich", thanks: "Vielen Dank", missing: "Was hat gefehlt? (freiwillig)",
      sending: "Wird gesendet…", failed: "Nicht gesendet", retry: "Erneut versuchen", offline: "Sie sind offline. Nachrichten werden gesendet, sobald Sie wieder verbunden sind.",
      lost: "Die Verbindung ist abgebrochen.", down_: "Der Chat ist gerade nicht erreichbar.", long: "Das sind {n} Zeichen zu viel. Bitte kürzen Sie die Nachricht.",
      slow: "Das ging etwas schnell. Bitte warten Sie einen Moment.", broken: "Etwas ist schiefgegangen. Bitte versuchen Sie es noch einmal.", noted: "Keine Antwort gefunden", ask: "Mögliche Fragen",
    },
    es: {
      open: "Abrir el chat", close: "Cerrar el chat", chat: "Chat", log: "Conversación", you: "Usted", write: "Escriba un mensaje", send: "Enviar",
      tagline: "Respuestas con fuentes", fresh: "Nueva conversación", typing: "{name} está escribiendo", sources: "Fuentes", source: "Fuente {n}",
      passage: "Mostrar el pasaje", up: "Útil", down: "No útil", thanks: "Gracias", missing: "¿Qué faltaba? (opcional)",
      sending: "Enviando…", failed: "No enviado", retry: "Reintentar", offline: "Está sin conexión. Los mensajes saldrán en cuanto vuelva.",
      lost: "Se perdió la conexión.", down_: "El chat no está disponible en este momento.", long: "Sobran {n} caracteres. Acorte el mensaje, por favor.",
      slow: "Demasiado rápido. Espere un momento, por favor.", broken: "Algo salió mal. Inténtelo de nuevo.", noted: "Sin respuesta", ask: "Puede preguntar",
    },
    fr: {
      open: "Ouvrir le chat", close: "Fermer le chat", chat: "Chat", log: "Conversation", you: "Vous", write: "Écrire un message", send: "Envoyer",
      tagline: "Des réponses sourcées", fresh: "Nouvelle conversation", typing: "{name} est en train d’écrire", sources: "Sources", source: "Source {n}",
      passage: "Afficher le passage", up: "Utile", down: "Pas utile", thanks: "Merci", missing: "Que manquait-il ? (facultatif)",
      sending: "Envoi…", failed: "Non envoyé", retry: "Réessayer", offline: "Vous êtes hors ligne. Les messages partiront dès votre retour.",
      lost: "La connexion a été perdue.", down_: "Le chat est injoignable pour le moment.", long: "{n} caractères de trop. Veuillez raccourcir le message.",
      slow: "C’était un peu rapide. Patientez un instant.", broken: "Une erreur est survenue. Veuillez réessayer.", noted: "Pas de réponse trouvée", ask: "Vous pouvez demander",
    },
  };
  const locale = options.locale || document.documentElement.lang || navigator.language || "en";
  const language = locale.slice(0, 2).toLowerCase() in WORDS ? locale.slice(0, 2).toLowerCase() : "en";
  const words = WORDS[language];
  const say = (key, values) => words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);

  // ---------------------------------------------------------------- nodes

  /** Build an element; `on…` values become listeners, the rest attributes. */
  function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value == null || value === false) continue;
      if (typeof value === "function") node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child != null && child !== false));
    return node;
  }

  const ICONS = {
    chat: "M4 5.5A1.5 1.5 0 0 1 5.5 4h13A1.5 1.5 0 0 1 20 5.5v9a1.5 1.5 0 0 1-1.5 1.5H10l-4.5 4v-4A1.5 1.5 0 0 1 4 14.5zM8 8.5h8M8 11.5h5",
    close: "M6 6l12 12M18 6L6 18",
    fresh: "M19.5 12a7.5 7.5 0 1 1-2.3-5.4M19.5 3.5v4h-4",
    send: "M12 19V5.5M6 11l6-6 6 6",
    up: "M7 10.5v9H4.5a.5.5 0 0 1-.5-.5v-8a.5.5 0 0 1 .5-.5zm0 0L11 4c1.6 0 2.3 1.2 2 2.5l-.7 3h5.7a1.6 1.6 0 0 1 1.6 2l-1.5 6.5a2 2 0 0 1-2 1.5H7",
    more: "M7 10l5 5 5-5",
    note: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.6 9.5a2.4 2.4 0 1 1 3.4 2.2c-.7.3-1 .8-1 1.6M12 16.5v.1",
    alert: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7.5v5.5M12 16.5v.1",
  };
  function icon(name, turned) {
    const make = (tag) => document.createElementNS("http://www.w3.org/2000/svg", tag);
    const svg = make("svg");
    const path = make("path");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    if (turned) svg.classList.add("turned");
    path.setAttribute("d", ICONS[name]);
    svg.append(path);
    return svg;
  }

  const button = (attributes, ...children) => el("button", { type: "button", ...attributes }, ...children);
  const iconButton = (name, label, onclick) => button({ class: "icon", "aria-label": label, title: label, onclick }, icon(name));

  // ------------------------------------------------------------ addresses

  /** The address if it is one a reply may link to, otherwise "". */
  function safeAddress(raw) {
    try {
      const url = new URL(String(raw)); // no base: a relative link would point into the host's site
      return /^(https?|mailto|tel):$/.test(url.protocol) ? url.href : "";
    } catch {
      return "";
    }
  }

  /** `url` extended so that the browser opens the page at `passage`. */
  function sentenceAddress(url, passage) {
    if (!url || url.includes("#")) return url;
    const lines = String(passage || "")
      .replace(/^(…|\.{3})\S*\s+|\s+\S*(…|\.{3})$/g, "") // a cut word would never match
      .split(/\n+/)
      .map((line) => line.replace(/^[\s#>*•|-]+|[\s*|]+$/g, "").split(/\s+/).filter(Boolean))
      .filter((line) => line.length);
    if (!lines.length) return url;
    // Each end of a text fragment must lie in one block, so ends come from one
    // line each; a short first line is a heading, which menus repeat.
    const first = lines.find((line) => line.length > 3) || lines[0];
    const last = lines[lines.length - 1];
    const quote = (list) => encodeURIComponent(list.join(" ")).replace(/-/g, "%2D");
    try {
      const short = first === last && first.length <= 13;
      return url + "#:~:text=" + (short ? quote(first) : quote(first.slice(0, 8)) + "," + quote(last.slice(-5)));
    } catch {
      return url; // half a surrogate pair cannot be encoded
    }
  }

  function link(address, attributes, ...children) {
    const href = safeAddress(address);
    if (!href) return el("span", attributes, ...children);
    return el("a", { ...attributes, href, target: "_blank", rel: "noopener noreferrer nofollow" }, ...children);
  }

  // ------------------------------------------------------------- Markdown
  // Text → tokens → nodes. There is no HTML in between, so nothing to sanitise.

  const FENCE = /^\s{0,3}(`{3,}|~{3,})\s*([\w+-]*)/;
  const HEADING = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
  const ITEM = /^(\s*)([-*+•]|(\d{1,4})[.)])\s+(.*)$/;
  const RULE = /^\s{0,3}([-*_])(\s*\1){2,}\s*$/;
  const DIVIDER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
  const INLINE = new RegExp(
    [
      /\\([\\`*_{}[\]()#+\-.!|>~])/, // 1 escaped
      /(`+)([^`](?:[\s\S]*?[^`])?)\2(?!`)/, // 2, 3 code
      /!?\[([^[\]]*)\]\(\s*<?((?:[^\s()<>]|\([^\s()<>]*\))*)>?(?:\s+"[^"]*")?\s*\)/, // 4, 5 link
      /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/, // 6 citation
      /(\*\*|__)(?=\S)([\s\S]*?\S)\7(?![*_])/, // 7, 8 bold
      /([*_])(?=[^\s*_])([^*_\n]*[^\s*_]|[\s\S]*?[^\s*_])\9(?![*_\w])/, // 9, 10 italics
      /<?(https?:\/\/[^\s<>"'`[\]]+[^\s<>"'`[\].,;:!?)*_])>?/, // 11 bare address
      /([\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+)/, // 12 mail
    ].map((part) => part.source).join("|"), "g");

  function inlineTokens(text, depth = 0) {
    const tokens = [];
    const plain = (value) => value && tokens.push({ type: "text", value });
    const inner = (value) => (depth < 5 ? inlineTokens(value, depth + 1) : [{ type: "text", value }]);
    const pattern = new RegExp(INLINE); // own lastIndex for each level
    let from = 0;
    for (let found; (found = pattern.exec(text)); ) {
      const [all, escaped, , code, label, address, numbers, , bold, mark, italic, bare, mail] = found;
      const before = text[found.index - 1] || " ";
      if ((all[0] === "_" || bare || mail) && /[\w/]/.test(before)) continue; // snake_case stays
      plain(text.slice(from, found.index));
      from = pattern.lastIndex;
      if (escaped) plain(escaped);
      else if (code) tokens.push({ type: "code", value: code.trim() });
      else if (label != null) {
        // An image would fetch whatever address the text names: only its label stays.
        if (all[0] === "!") plain(label);
        else tokens.push({ type: "link", address, children: inner(label) });
      } else if (numbers) tokens.push({ type: "cite", all, numbers: numbers.split(/\D+/).map(Number) });
      else if (bold) tokens.push({ type: "strong", children: inner(bold) });
      else if (mark) tokens.push({ type: "em", children: inner(italic) });
      else tokens.push({ type: "link", address: bare || "mailto:" + mail, children: [{ type: "text", value: bare || all }] });
    }
    plain(text.slice(from));
    return tokens;
  }

  const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  const startsTable = (lines, at) => lines[at].includes("|") && at + 1 < lines.length && lines[at + 1].includes("-") && DIVIDER.test(lines[at + 1]);

  function blockTokens(text, depth = 0) {
    const lines = text.replace(/\r\n?/g, "\n").split("\n");
    const tokens = [];
    const nested = depth < 6; // ">>>>>>…" must not exhaust the stack
    let at = 0;
    const takeWhile = (test) => {
      const from = at;
      while (at < lines.length && test(lines[at], at)) at++;
      return lines.slice(from, at);
    };
    while (at < lines.length) {
      const line = lines[at];
      let found;
      if (!line.trim()) at++;
      else if ((found = FENCE.exec(line))) {
        at++;
        const fence = found[1];
        const body = takeWhile((next) => !next.trim().startsWith(fence));
        at++; // the closing fence, or past the end while it still streams
        tokens.push({ type: "pre", value: body.join("\n") });
      } else if ((found = HEADING.exec(line))) {
        at++;
        tokens.push({ type: "heading", level: found[1].length, children: inlineTokens(found[2]) });
      } else if (RULE.test(line)) {
        at++;
        tokens.push({ type: "rule" });
      } else if (startsTable(lines, at)) {
        const rows = takeWhile((next) => next.includes("|"));
        tokens.push({ type: "table", rows: rows.filter((_, index) => index !== 1).map((row) => cells(row).map((cell) => inlineTokens(cell))) });
      } else if (nested && /^\s{0,3}>/.test(line)) {
        const quoted = takeWhile((next) => /^\s{0,3}>/.test(next)).map((next) => next.replace(/^\s*> ?/, ""));
        tokens.push({ type: "quote", children: blockTokens(quoted.join("\n"), depth + 1) });
      } else if (nested && ITEM.test(line)) tokens.push(list(line));
      else {
        const from = at;
        const body = takeWhile((next, index) => index === from || (next.trim() && !FENCE.test(next) && !HEADING.test(next) && !(nested && (ITEM.test(next) || /^\s{0,3}>/.test(next))) && !startsTable(lines, index)));
        tokens.push({ type: "paragraph", children: inlineTokens(body.map((next) => next.trim()).join("\n")) });
      }
    }
    return tokens;

    function list(line) {
      const [, indent, , number] = ITEM.exec(line);
      const items = [];
      while (at < lines.length) {
        const found = ITEM.exec(lines[at]);
        const sibling = found && found[1].length <= indent.length + 1;
        if (sibling && !found[3] === !number) items.push([found[4]]);
        else if (sibling) break; // the other kind of list begins
        else if (found || /^\s{2,}\S/.test(lines[at])) items[items.length - 1].push(lines[at].slice(indent.length + 2));
        else if (lines[at].trim() && lines[at - 1].trim() && !HEADING.test(lines[at]) && !FENCE.test(lines[at])) items[items.length - 1].push(lines[at].trim()); // lazy continuation
        else if (lines[at].trim() || !/^\s{2,}\S/.test(lines[at + 1] || "") && !ITEM.test(lines[at + 1] || "")) break;
        else items[items.length - 1].push("");
        at++;
      }
      return { type: number ? "ol" : "ul", start: number, items: items.map((item) => blockTokens(item.join("\n"), depth + 1)) };
    }
  }

  /** Nodes of tokens; `citations` is null while the answer still streams. */
  function nodes(tokens, citations) {
    const inner = (list) => nodes(list, citations);
    return tokens.flatMap((token) => {
      switch (token.type) {
        case "text": return document.createTextNode(token.value);
        case "code": return el("code", null, token.value);
        case "pre": return el("pre", { dir: "ltr", tabindex: "0" }, el("code", null, token.value));
        case "link": return link(token.address, null, ...inner(token.children));
        case "cite": return marker(token, citations);
        case "heading": return el("h" + Math.min(6, token.level + 2), null, ...inner(token.children));
        case "rule": return el("hr");
        case "quote": return el("blockquote", null, ...inner(token.children));
        case "paragraph": return el("p", null, ...inner(token.children));
        case "ul": case "ol":
          return el(token.type, { start: token.start }, ...token.items.map((item) => el("li", null, ...(item.length && item[0].type === "paragraph" ? [...inner(item[0].children), ...inner(item.slice(1))] : inner(item)))));
        case "table": return table(token.rows, inner);
        default: return el(token.type, null, ...inner(token.children));
      }
    });
  }

  function table(rows, inner) {
    const row = (list, tag) => el("tr", null, ...list.map((cell) => el(tag, { dir: "auto" }, ...inner(cell))));
    return el("div", { class: "scroll", tabindex: "0" }, el("table", null, el("thead", null, row(rows[0], "th")), el("tbody", null, ...rows.slice(1).map((list) => row(list, "td")))));
  }

  function marker(token, citations) {
    if (!citations) return el("sup", null, ...token.numbers.map((number) => el("span", { class: "cite" }, String(number))));
    const known = token.numbers.map((number) => citations.find((citation) => citation.number === number));
    if (!known.every(Boolean)) return document.createTextNode(token.all); // "[5]" may just be text
    return el("sup", null, ...known.map((citation) => link(sentenceAddress(citation.url, citation.passage), {
      class: "cite", title: citation.passage || citation.title, "aria-label": say("source", { n: citation.number }) + ": " + citation.title,
    }, String(citation.number))));
  }

  /** What a screen reader is told: no markers, and blocks do not run together. */
  function spoken(tokens) {
    return tokens.map((token) => {
      const parts = token.rows ? token.rows.map((row) => row.map(spoken).join(", ") + ".") : token.items ? token.items.map(spoken) : null;
      if (parts) return parts.join("\n") + "\n";
      if (token.type === "cite") return "";
      return (token.children ? spoken(token.children) : token.value || "") + (/paragraph|heading|quote|pre/.test(token.type) ? "\n" : "");
    }).join("");
  }

  /** While it streams, markup at the very end that is not closed yet (a table row, a link …) would flash. */
  const settled = (text) => text.replace(/(^|\n)\|[^\n]*(\n[\s|:-]*)?$/, "").replace(/(\[[^\]\n]{0,80}(\]\([^)\s]*)?|[*_`]{1,2})$/, "");

  // -------------------------------------------------------------- network

  let token = null;
  let session = null; // promise of the opened session
  let setReady;
  const ready = new Promise((resolve) => { setReady = resolve; }); // greeting or history is shown
  const wakers = new Set();
  const wake = () => wakers.forEach((waker) => waker());

  /** Wait, but no longer than until the line or the page comes back. */
  const pause = (ms) => new Promise((resolve) => {
    const end = () => { clearTimeout(timer); wakers.delete(end); resolve(); };
    const timer = setTimeout(end, ms);
    wakers.add(end);
  });
  const backOff = (round) => Math.min(30000, 500 * 2 ** round) * (0.5 + Math.random() / 2);

  // Storage may throw (blocked cookies, private mode); then memory must do.
  function remembered() {
    try { return localStorage.getItem(storageKey); } catch { return token; }
  }
  function remember(value) {
    token = value;
    try { value ? localStorage.setItem(storageKey, value) : localStorage.removeItem(storageKey); } catch { /* memory only */ }
  }

  /** A request that cannot succeed by trying again; its message is shown. */
  class Refused extends Error {}

  async function refusal(response, fallback) {
    const body = await response.json().catch(() => ({}));
    return new Refused(typeof body.error === "string" && body.error ? body.error : fallback);
  }

  const call = (path, init) => fetch(base + "/web/v1/" + path, { credentials: "omit", cache: "no-store", ...init });
  const json = (body) => ({ method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });

  async function newSession(old) {
    const response = await call("session", json(old ? { token: old } : {}));
    if (!response.ok) throw response.status < 500 ? await refusal(response, words.down_) : new Error("session");
    const opened = await response.json();
    remember(opened.token);
    return opened;
  }

  /** The session, opened on first use; a failure may be tried again. */
  function openSession() {
    session = session || newSession(remembered()).catch((problem) => { session = null; throw problem; });
    return session;
  }

  /** A request with the visitor's token; an expired token is renewed once. */
  async function authorised(path, init = {}) {
    for (let attempt = 0; ; attempt++) {
      await openSession();
      const used = token;
      const response = await call(path, { ...init, headers: { ...init.headers, Authorization: "Bearer " + used } });
      if (response.status !== 401 || attempt) return response;
      if (token !== used) continue; // another request has renewed it meanwhile
      const other = remembered(); // … or another tab
      if (other && other !== used) token = other;
      else { remember(null); session = newSession(null).catch((problem) => { session = null; throw problem; }); }
    }
  }

  /** Read an event stream to its end, one frame at a time. */
  async function readFrames(response, stop, onFrame) {
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    let watchdog;
    try {
      for (;;) {
        watchdog = setTimeout(stop, SILENCE);
        const { value, done } = await reader.read();
        clearTimeout(watchdog);
        if (done) return;
        const frames = (rest + decoder.decode(value, { stream: true })).replace(/\r\n/g, "\n").split("\n\n");
        rest = frames.pop();
        for (const text of frames) {
          const frame = parseFrame(text);
          if (frame) onFrame(frame);
        }
      }
    } finally {
      clearTimeout(watchdog);
      reader.cancel().catch(() => {});
    }
  }

  function parseFrame(text) {
    const fields = {};
    for (const line of text.split("\n")) {
      const [, name, value] = /^(\w+): ?(.*)$/.exec(line) || [];
      if (name) fields[name] = name in fields ? fields[name] + "\n" + value : value;
    }
    try {
      return fields.data ? { id: Number(fields.id) || 0, event: fields.event, data: JSON.parse(fields.data) } : null;
    } catch {
      return null;
    }
  }

  function uuid() {
    if (crypto.randomUUID) return crypto.randomUUID(); // missing on plain http
    const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte, at) => (at === 6 ? (byte & 15) | 64 : at === 8 ? (byte & 63) | 128 : byte).toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }

  // ----------------------------------------------------------------- view

  const mounted = Boolean(options.mount);
  const narrow = matchMedia("(max-width: 480px)");
  let host, root, launcher, panel, heading, avatar, log, typing, input, form, notice, status;
  let opened = false;
  let botName = options.title || "";

  function build(parent) {
    host = el("div", { class: "frontdesk" });
    root = host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];

    heading = el("h2", { id: "title" }, botName || words.chat);
    avatar = el("span", { class: "avatar", "aria-hidden": "true" }, icon("chat"));
    typing = el("div", { class: "dots", "aria-hidden": "true", hidden: "" }, el("i"), el("i"), el("i"));
    log = el("div", { class: "log", role: "log", "aria-live": "off", "aria-label": words.log, tabindex: "0" }, typing);
    notice = el("p", { class: "notice", role: "alert", hidden: "" });
    input = el("textarea", { rows: "1", "aria-label": words.write, placeholder: words.write, dir: "auto", enterkeyhint: "send", autocomplete: "off", oninput: onInput });
    form = el("form", { onsubmit: (event) => { event.preventDefault(); submit(); } }, input, el("button", { class: "send", "aria-label": words.send, title: words.send }, icon("send")));
    status = el("div", { class: "unseen", role: "status", "aria-live": "polite" });
    panel = el("section", { id: "panel", class: "panel", role: mounted ? "region" : "dialog", "aria-labelledby": "title", hidden: mounted ? null : "" },
      el("header", null, avatar, el("div", { class: "names" }, heading, el("p", null, words.tagline)), iconButton("fresh", words.fresh, startOver), !mounted && iconButton("close", words.close, close)),
      log, notice, form, status);
    launcher = button({ class: "launcher", "aria-label": words.open, "aria-expanded": "false", "aria-controls": "panel", onclick: toggle }, icon("chat"));

    const direction = getComputedStyle(document.documentElement).direction;
    const frame = el("div", { class: "frame " + (mounted ? "mounted" : "floating " + (options.position === "left" ? "left" : "right")), dir: direction, lang: language, onkeydown: onKey }, panel, !mounted && launcher);
    // The host page's shortcuts ("/" for search …) must not fire while typing here.
    for (const name of ["keyup", "keypress"]) frame.addEventListener(name, (event) => event.stopPropagation());
    root.append(frame);
    parent.append(host);
    paint(frame);
  }

  /** Set the accent and the ink that is readable on it. */
  function paint(frame) {
    if (options.color && CSS.supports("color", options.color)) frame.style.setProperty("--accent", options.color);
    const probe = el("i", { class: "probe" });
    frame.append(probe);
    const [red, green, blue] = (getComputedStyle(probe).color.match(/[\d.]+/g) || [0, 0, 0]).map((part) => {
      const share = part / 255;
      return share <= 0.04 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    probe.remove();
    const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    frame.style.setProperty("--ink", light > 0.18 ? "#14171a" : "#fff");
  }

  /** Keep the full-screen panel above the on-screen keyboard. */
  function fit() {
    const view = window.visualViewport;
    const full = !mounted && opened && narrow.matches;
    panel.style.height = full && view ? view.height + "px" : "";
    panel.style.top = full && view ? view.offsetTop + "px" : "";
    full ? panel.setAttribute("aria-modal", "true") : panel.removeAttribute("aria-modal");
  }

  function announce(text) {
    status.textContent = "";
    setTimeout(() => { status.textContent = text; }, 50); // a change after a pause is read even when the words repeat
  }

  function showNotice(text, retry) {
    notice.hidden = !text;
    notice.replaceChildren(text || "", ...(text && retry ? [" ", button({ class: "plain", onclick: retry }, words.retry)] : []));
  }

  const nearEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 80;

  /** Scroll on, but never past the start of the newest exchange: long answers are read from the top. */
  function toEnd() {
    const newest = [...log.querySelectorAll("article")].pop();
    const before = newest?.previousElementSibling;
    const anchor = before?.matches(".mine") ? before : newest;
    const limit = anchor ? log.scrollTop + anchor.getBoundingClientRect().top - log.getBoundingClientRect().top - 16 : 0;
    log.scrollTop = Math.max(log.scrollTop, limit);
  }

  /** Change the log; a reader who has scrolled up is not dragged down. */
  function draw(change) {
    const follow = nearEnd();
    change();
    if (follow) toEnd();
  }

  function put(node) {
    log.insertBefore(node, typing);
    return node;
  }

  function bubble(text) {
    const state = el("div", { class: "state" });
    const node = el("article", { class: "mine" }, el("span", { class: "unseen" }, words.you + ": "), el("div", { class: "bubble", dir: "auto" }, text), state);
    put(node);
    return { node, state };
  }

  function showState(message) {
    const failed = message.state === "failed";
    if (!message.node) return;
    message.node.dataset.state = message.state;
    message.stateNode.replaceChildren(...(message.state === "sending" ? [words.sending] : failed ? [(message.problem || words.failed) + " ", button({ class: "plain", onclick: () => retry(message) }, words.retry)] : []));
  }

  function replyNode(extra) {
    const text = el("div", { class: "text", dir: "auto" });
    const node = el("article", { class: "reply" + (extra || "") }, el("span", { class: "unseen" }, (botName || words.chat) + ": "), text);
    put(node);
    return { node, text };
  }

  /** Buttons under the last reply: ways to go on with one tap. */
  function offer(texts, kind) {
    log.querySelectorAll(".offers").forEach((old) => old.remove());
    if (texts.length) put(el("div", { class: "offers " + kind, role: "group", "aria-label": words.ask }, ...texts.map((text) => button({ dir: "auto", onclick: () => { send(text); input.focus(); } }, text))));
  }

  function sources(citations) {
    return el("div", { class: "sources" }, el("h3", null, words.sources), el("ol", null, ...citations.map((citation) => {
      const address = sentenceAddress(citation.url, citation.passage);
      const passage = el("blockquote", { dir: "auto", hidden: "" }, citation.passage || "");
      const more = citation.passage && button({ class: "icon", "aria-expanded": "false", "aria-label": words.passage + ": " + citation.title, title: words.passage, onclick: () => {
        passage.hidden = !passage.hidden;
        more.setAttribute("aria-expanded", String(!passage.hidden));
      } }, icon("more"));
      const safe = safeAddress(citation.url);
      const place = safe.startsWith("http") ? new URL(safe).host.replace(/^www\./, "") : "";
      return el("li", null, el("span", { class: "cite", "aria-hidden": "true" }, String(citation.number)),
        link(address, { class: "source", title: citation.passage }, el("b", { dir: "auto" }, citation.title || place), place && el("small", null, place)), more, passage);
    })));
  }

  function thumbs(turn, given) {
    const thanks = el("span", { class: "thanks" });
    const box = el("div", { class: "thumbs" });
    const rate = async (rating, comment) => {
      const press = (value) => buttons.forEach((one, index) => one.setAttribute("aria-pressed", String((index ? -1 : 1) === value)));
      press(rating);
      const response = await authorised("feedback", { ...json({ turn, rating, comment: comment || "" }), keepalive: true }).catch(() => null);
      const kept = response && response.ok;
      thanks.textContent = kept ? words.thanks : words.broken;
      announce(thanks.textContent);
      if (!kept) press(0);
      box.querySelector("form")?.remove();
      if (kept && rating < 0 && !comment) draw(() => box.append(commentForm((text) => rate(-1, text))));
    };
    const make = (name, value) => {
      const one = iconButton("up", words[name], () => rate(value));
      one.setAttribute("aria-pressed", String(given === value));
      if (value < 0) one.firstChild.classList.add("turned");
      return one;
    };
    const buttons = [make("up", 1), make("down", -1)];
    box.append(...buttons, thanks);
    return box;
  }

  function commentForm(done) {
    const field = el("input", { "aria-label": words.missing, placeholder: words.missing, maxlength: "500", dir: "auto" });
    return el("form", { class: "comment", onsubmit: (event) => { event.preventDefault(); if (field.value.trim()) done(field.value.trim()); } }, field, el("button", { class: "plain" }, words.send));
  }

  // --------------------------------------------------------- conversation

  const seen = new Set(); // event ids already drawn
  const outgoing = new Set(); // messages without a finished reply
  const mine = new Set(); // message ids of this page
  let replies = new Map(); // replies being written, by turn
  let lastId = 0;
  let listener = null; // the open request for news, if any
  let live = false; // a person has taken over: keep listening

  function stopListening() {
    listener?.abort();
    listener = null;
  }

  function refreshTyping() {
    const writing = [...replies.values()].some((reply) => reply.node);
    typing.hidden = writing || ![...outgoing].some((message) => message.state === "sent" || (message.state === "sending" && navigator.onLine));
  }

  /** Queue a text and see it through to its reply. */
  function send(text) {
    stopListening();
    const message = { id: uuid(), text, after: lastId };
    mine.add(message.id);
    if (text === "/reset") message.reset = true;
    else {
      offer([], "");
      const { node, state } = bubble(text);
      Object.assign(message, { node, stateNode: state });
    }
    deliver(message);
    toEnd();
  }

  function retry(message) {
    if (message.answered) { // the server answered with an error: ask anew
      message.failure.remove();
      message.node?.remove();
      return send(message.text);
    }
    if (!message.id) return loadHistory().catch(() => {}); // a turn of an earlier visit
    message.started = false; // the same id again is safe and replays
    deliver(message);
  }

  async function deliver(message) {
    message.settled = false;
    message.state = "sending";
    outgoing.add(message);
    showState(message);
    refreshTyping();
    await ready; // typed while the chat was still opening
    for (let round = 0; !message.settled; ) {
      const began = Date.now();
      const heard = message.heard;
      try {
        await follow(message);
      } catch (problem) {
        if (problem instanceof Refused) return fail(message, problem.message);
      }
      if (message.settled) break;
      round = message.heard === heard ? round + 1 : 0;
      if (round > ROUNDS) return fail(message, message.started ? words.lost : words.failed + ".");
      // A request that was held open has waited already.
      await pause(Math.max(message.wait || 0, backOff(round) - (Date.now() - began), 100));
      message.wait = 0;
      while (!navigator.onLine && !message.settled) await pause(30000);
    }
    outgoing.delete(message);
    message.state = "sent";
    showState(message);
    refreshTyping();
    if (live) listen();
  }

  /** One request for the reply: the post itself, later only what is missing. */
  async function follow(message) {
    const stop = new AbortController();
    message.stop = () => stop.abort();
    const response = message.started
      ? await authorised("events?after=" + message.after, { signal: stop.signal })
      : await authorised("messages", { ...json({ id: message.id, text: message.text }), signal: stop.signal });
    if (response.status === 429) {
      const seconds = Number(response.headers.get("Retry-After")) || 0;
      if (seconds < 1 || seconds > 15) throw await refusal(response, words.slow);
      message.wait = seconds * 1000;
      return;
    }
    if (response.status >= 400 && response.status < 500) throw await refusal(response, words.broken);
    if (!response.ok) throw new Error(String(response.status));
    message.state = "sent";
    showState(message);
    refreshTyping();
    const flow = { message, reply: null };
    await readFrames(response, message.stop, (frame) => {
      message.heard = (message.heard || 0) + 1;
      message.after = Math.max(message.after, frame.id);
      handle(frame, flow);
      if (message.settled) message.stop();
    });
  }

  function fail(message, problem) {
    outgoing.delete(message);
    Object.assign(message, { state: "failed", problem });
    if (message.node) draw(() => showState(message));
    else showNotice(problem, () => { showNotice(""); retry(message); });
    announce(problem);
    refreshTyping();
  }

  function settle(turn, flow) {
    for (const message of outgoing) {
      if (message === flow.message || (turn != null && message.turn === turn)) {
        message.settled = true;
        if (message !== flow.message) message.stop?.();
      }
    }
  }

  /** One event, from whichever stream brought it first. */
  function handle({ id, event, data }, flow) {
    const fresh = !id || !seen.has(id);
    if (id) seen.add(id);
    lastId = Math.max(lastId, id);
    if (event === "start") begin(id, data, flow, fresh);
    else if (event === "delta") {
      const reply = flow.reply || [...replies.values()].pop();
      if (fresh && reply && typeof data.text === "string") append(reply, data.text);
    } else if (event === "done") {
      if (fresh) finish(replies.get(data.turn) || flow.reply || {}, data, flow);
      settle(data.turn, flow);
    } else if (event === "error") {
      if (fresh) failReply(flow, data);
      settle(flow.reply?.turn, flow);
    }
  }

  function begin(id, { turn, messages = [] }, flow, fresh) {
    const key = turn ?? "event " + id;
    if (fresh && !replies.has(key)) replies.set(key, { key, turn, text: "" });
    flow.reply = replies.get(key) || null;
    if (fresh && !id && flow.reply) flow.reply.text = ""; // a replay without ids begins again
    for (const message of outgoing) {
      if (message === flow.message || messages.includes(message.id)) Object.assign(message, { turn: turn ?? undefined, started: true });
    }
    if (messages.length && !messages.some((one) => mine.has(one)) && !flow.message) flow.foreign = true;
    if (fresh) announce(say("typing", { name: botName || words.chat }));
  }

  function append(reply, piece) {
    reply.text += piece;
    if (reply.frame) return;
    reply.frame = requestAnimationFrame(() => {
      reply.frame = 0;
      if (reply.done) return;
      draw(() => {
        if (!reply.node) {
          const { node, text } = replyNode(" writing");
          Object.assign(reply, { node, body: text });
          refreshTyping();
        }
        reply.body.replaceChildren(...nodes(blockTokens(settled(reply.text)), null));
      });
    });
  }

  /** The whole reply replaces whatever was streamed of it. */
  function finish(reply, data, flow = {}) {
    reply.done = true;
    replies.delete(reply.key);
    live = data.outcome === "handed_over" || (live && !data.outcome);
    if (flow.message?.reset) return welcome(true);
    draw(() => {
      const node = showReply(data);
      if (reply.node) reply.node.replaceWith(node);
      const next = [...(data.choices || []), ...(data.suggestions || [])];
      offer(next, data.choices?.length ? "choices" : "");
      announce((botName ? botName + ": " : "") + spoken(blockTokens(String(data.text ?? ""))).trim());
    });
    refreshTyping();
    if (!opened && !mounted) launcher.classList.add("news");
    if (flow.foreign) setTimeout(() => { if (!outgoing.size) loadHistory().catch(() => {}); });
  }

  function showReply(data) {
    const { node, text } = replyNode(data.outcome === "no_answer" ? " none" : "");
    const citations = (data.citations || []).filter((citation) => citation && Number.isInteger(citation.number));
    text.append(...nodes(blockTokens(String(data.text ?? "")), citations));
    if (data.outcome === "no_answer") node.insertBefore(el("span", { class: "mark", role: "img", "aria-label": words.noted, title: words.noted }, icon("note")), text);
    if (citations.length) node.append(sources(citations));
    if (data.turn != null && /^(answered|no_answer)$/.test(data.outcome)) node.append(thumbs(data.turn, data.rating));
    return node;
  }

  function failReply(flow, data) {
    const reply = flow.reply || {};
    const message = flow.message;
    const text = (data && data.message) || words.broken;
    reply.done = true;
    replies.delete(reply.key);
    draw(() => {
      reply.node?.classList.remove("writing");
      const node = el("div", { class: "problem" }, icon("alert"), el("span", { dir: "auto" }, text), message?.text && button({ class: "plain", onclick: () => retry(message) }, words.retry));
      if (message) Object.assign(message, { answered: true, failure: node });
      put(node);
    });
    announce(text);
    refreshTyping();
  }

  /** The empty conversation: greeting and first questions. */
  async function welcome(again) {
    const { greeting, starters } = await openSession();
    const unsent = again ? [] : [...log.querySelectorAll('[data-state="sending"], [data-state="failed"]')];
    clear();
    if (again) put(el("p", { class: "divider" }, words.fresh));
    if (greeting) replyNode().text.append(...nodes(blockTokens(greeting), []));
    offer(unsent.length ? [] : starters || [], "starters");
    unsent.forEach(put);
    if (again) announce(words.fresh + ". " + (greeting || ""));
  }

  function clear() {
    replies = new Map();
    while (log.firstChild !== typing) log.firstChild.remove();
    refreshTyping();
  }

  /** Refill the panel from what the server has kept. */
  async function loadHistory() {
    const response = await authorised("history");
    if (!response.ok) throw new Error("history");
    const { turns = [], last = 0 } = await response.json();
    const from = turns.map((turn) => turn.question).lastIndexOf("/reset") + 1;
    await welcome();
    const unsent = [...log.querySelectorAll("[data-state]")];
    lastId = Math.max(lastId, last);
    const shown = turns.slice(from);
    if (shown.length) offer([], "");
    shown.forEach(({ turn, question, reply }, index) => {
      const asked = question ? bubble(question) : {};
      if (reply) {
        showReply({ ...reply, turn });
        live = reply.outcome === "handed_over";
        if (index === shown.length - 1) offer([...(reply.choices || []), ...(reply.suggestions || [])], reply.choices?.length ? "choices" : "");
      } else deliver({ turn, node: asked.node, stateNode: asked.state, started: true, after: last }); // still being written
    });
    unsent.forEach(put);
    toEnd();
    listen();
  }

  /** Stop waiting for every reply. */
  function abandon() {
    for (const message of outgoing) {
      message.settled = true;
      message.stop?.();
    }
    outgoing.clear();
  }

  function startOver() {
    abandon();
    send("/reset");
    if (!narrow.matches) input.focus();
  }

  /** Ask for what happened meanwhile; goes on while a person is answering. */
  async function listen() {
    if (!session || listener || outgoing.size || !opened || document.hidden) return;
    const stop = (listener = new AbortController());
    for (let round = 0; !stop.signal.aborted; ) {
      const began = Date.now();
      const flow = {};
      try {
        const response = await authorised("events?after=" + lastId, { signal: stop.signal });
        if (!response.ok) throw new Error(String(response.status));
        await readFrames(response, () => stop.abort(), (frame) => { round = 0; handle(frame, flow); });
      } catch { /* the next round, or the next wake-up, tries again */ }
      if (!live || ++round > ROUNDS || stop.signal.aborted) break;
      await pause(Math.max(backOff(round) - (Date.now() - began), 100));
    }
    if (listener === stop) listener = null;
  }

  // ---------------------------------------------------------------- acting

  async function connect() {
    showNotice("");
    typing.hidden = false;
    const known = Boolean(remembered());
    try {
      const { name } = await openSession();
      botName = options.title || name || words.chat;
      heading.textContent = botName;
      avatar.replaceChildren([...botName][0].toUpperCase());
      typing.hidden = true;
      await (known ? loadHistory() : welcome());
      setReady();
    } catch (problem) {
      typing.hidden = true;
      session = null;
      showNotice(problem instanceof Refused ? problem.message : words.down_, connect);
    }
  }

  /** Open the chat. */
  function open() {
    if (opened) return;
    opened = true;
    if (!mounted) {
      panel.hidden = false;
      launcher.setAttribute("aria-expanded", "true");
      launcher.setAttribute("aria-label", words.close);
      launcher.replaceChildren(icon("close"));
      launcher.classList.remove("news");
    }
    fit();
    session ? listen() : connect();
    toEnd();
  }

  /** Close the chat and give the focus back. */
  function close() {
    if (!opened || mounted) return;
    opened = false;
    stopListening();
    panel.hidden = true;
    launcher.setAttribute("aria-expanded", "false");
    launcher.setAttribute("aria-label", words.open);
    launcher.replaceChildren(icon("chat"));
    fit();
    launcher.focus();
  }

  function toggle() {
    if (opened) return close();
    open();
    (matchMedia("(pointer: coarse)").matches ? log : input).focus(); // no keyboard over the greeting on a phone
  }

  /** Drop the visitor's token and conversation from this browser. */
  function forget() {
    abandon();
    stopListening();
    remember(null);
    session = null;
    lastId = 0;
    live = false;
    seen.clear();
    clear();
    if (opened) connect();
  }

  function onInput() {
    input.style.height = "auto";
    input.style.height = Math.min(input.scrollHeight + 2, 140) + "px";
    const over = [...input.value].length - TEXT_LIMIT;
    const before = form.classList.contains("over");
    form.classList.toggle("over", over > 0);
    if (over > 0) showNotice(say("long", { n: over }));
    else if (before) showNotice(""); // other notices stay
  }

  function submit() {
    const text = input.value.trim();
    if (!text || [...text].length > TEXT_LIMIT) return input.focus();
    input.value = "";
    onInput();
    text === "/reset" ? startOver() : send(text);
    input.focus();
  }

  function onKey(event) {
    event.stopPropagation();
    if (event.isComposing || event.keyCode === 229) return; // Enter and Escape belong to the input method
    if (event.key === "Escape" && !mounted) close();
    else if (event.key === "Enter" && !event.shiftKey && event.target === input) {
      event.preventDefault();
      submit();
    } else if (event.key === "Tab" && panel.hasAttribute("aria-modal")) keepFocus(event);
  }

  /** On a phone the panel covers the page: the focus stays inside. */
  function keepFocus(event) {
    const stops = [...panel.querySelectorAll("button, a[href], textarea, input, [tabindex='0']")].filter((node) => node.offsetParent);
    const edge = event.shiftKey ? stops[0] : stops[stops.length - 1];
    if (root.activeElement !== edge) return;
    event.preventDefault();
    (event.shiftKey ? stops[stops.length - 1] : stops[0]).focus();
  }

  function start() {
    const place = mounted && document.querySelector(options.mount);
    if (mounted && !place) return console.warn("Frontdesk: nothing matches data-mount=" + options.mount);
    build(place || document.body);

    const back = () => {
      if (!opened) return;
      showNotice(navigator.onLine ? "" : words.offline);
      wake();
      session ? listen() : connect();
    };
    addEventListener("online", back);
    addEventListener("offline", () => { if (opened) showNotice(words.offline); });
    addEventListener("pageshow", (event) => { if (event.persisted) back(); });
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) stopListening(); // a hidden tab must not hold one of six connections
      else { wake(); listen(); }
    });
    window.visualViewport?.addEventListener("resize", fit);
    window.visualViewport?.addEventListener("scroll", fit);
    narrow.addEventListener("change", fit);

    if (mounted || options.open === "true") open();
    /** For the host page: open, close and toggle the chat, or forget the visitor (on log-out). */
    window.Frontdesk = { open, close, toggle, forget };
  }

  // ----------------------------------------------------------------- style

  const STYLE = `
  :host { all: initial; display: block; }
  [hidden] { display: none !important; }
  * { box-sizing: border-box; }
  .frame { --accent: #12655a; --ink: #fff; --face: #fff; --text: #1b1f23; --soft: #5c656e; --line: #e2e5e8; --wash: #f4f5f6; --bad: #a1281f;
    color-scheme: light; font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; color: var(--text); text-align: start; }
  .probe { color: var(--accent); }
  .mounted { height: 100%; }
  button, textarea, input { font: inherit; color: inherit; margin: 0; }
  button { cursor: pointer; }
  :focus-visible { outline: 2px solid var(--text); outline-offset: 2px; }
  .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  svg { width: 20px; height: 20px; fill: none; stroke: currentColor; stroke-width: 1.7; stroke-linecap: round; stroke-linejoin: round; display: block; }
  .turned { transform: rotate(180deg); }

  .launcher { position: fixed; z-index: 2147483000; bottom: calc(20px + env(safe-area-inset-bottom)); width: 56px; height: 56px; padding: 0; border: 0; border-radius: 50%;
    display: grid; place-items: center; background: var(--accent); color: var(--ink); box-shadow: 0 4px 18px rgb(0 0 0 / .24); transition: transform .15s; }
  .launcher:hover { transform: scale(1.05); }
  .launcher:focus-visible { outline: 3px solid var(--face); outline-offset: 0; box-shadow: 0 0 0 5px var(--text); }
  .launcher svg { width: 26px; height: 26px; }
  .news::after { content: ""; position: absolute; inset: 1px 1px auto auto; width: 14px; height: 14px; border-radius: 50%; background: #d93025; border: 2px solid #fff; }
  .right .launcher, .right .panel { right: 20px; }
  .left .launcher, .left .panel { left: 20px; }

  .panel { display: flex; flex-direction: column; background: var(--face); overflow: hidden; height: 100%; }
  .floating .panel { position: fixed; z-index: 2147483000; bottom: calc(90px + env(safe-area-inset-bottom)); width: 400px; max-width: calc(100vw - 40px); height: 640px; max-height: calc(100vh - 110px);
    border: 1px solid var(--line); border-radius: 16px; box-shadow: 0 12px 48px rgb(0 0 0 / .2); animation: rise .18s ease-out; }
  @keyframes rise { from { opacity: 0; transform: translateY(10px); } }
  header { display: flex; align-items: center; gap: 4px; padding: 12px 12px 12px 16px; border-bottom: 1px solid var(--line); }
  [dir="rtl"] header { padding: 12px 16px 12px 12px; }
  .avatar { flex: none; width: 36px; height: 36px; border-radius: 50%; display: grid; place-items: center; background: var(--accent); color: var(--ink); font-weight: 600; }
  .names { flex: 1; min-width: 0; padding-inline-start: 8px; }
  .names h2, .names p { margin: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; line-height: 1.3; }
  .names h2 { font-size: 15px; font-weight: 650; }
  .names p { font-size: 13px; color: var(--soft); }
  .icon { flex: none; width: 36px; height: 36px; padding: 0; display: grid; place-items: center; border: 0; border-radius: 8px; background: none; color: var(--soft); }
  .icon:hover { background: var(--wash); color: var(--text); }

  .log { flex: 1; min-height: 0; overflow-y: auto; overscroll-behavior: contain; padding: 20px 16px 12px; display: flex; flex-direction: column; gap: 16px; font-size: 15px; }
  .log:focus-visible { outline-offset: -3px; }
  .log > * { flex: none; }
  article { max-width: 100%; overflow-wrap: anywhere; }
  .mine { align-self: flex-end; max-width: 85%; }
  .bubble { padding: 9px 14px; border-radius: 16px; border-end-end-radius: 4px; background: var(--accent); color: var(--ink); white-space: pre-wrap; width: fit-content; margin-inline-start: auto; }
  .state { font-size: 13px; color: var(--soft); text-align: end; }
  .state:not(:empty) { margin-top: 4px; }
  [data-state="sending"] .state { animation: late 1s; }
  @keyframes late { 0%, 80% { opacity: 0; } }
  [data-state="failed"] .bubble { background: var(--wash); color: var(--text); }
  [data-state="failed"] .state, .problem { color: var(--bad); }
  .plain { border: 0; padding: 2px 4px; background: none; color: inherit; font-weight: 600; text-decoration: underline; text-underline-offset: 2px; border-radius: 4px; min-height: 24px; }

  .text > :first-child { margin-top: 0; }
  .text > :last-child { margin-bottom: 0; }
  .text p, .text ul, .text ol, .text pre, .text blockquote, .scroll { margin: 0 0 10px; }
  .text p { white-space: pre-line; }
  .text h3, .text h4, .text h5, .text h6 { margin: 14px 0 6px; font-size: 1em; font-weight: 650; }
  .text h3 { font-size: 1.1em; }
  .text ul, .text ol { padding-inline-start: 22px; }
  .text li { margin: 3px 0; }
  .text li > ul, .text li > ol { margin: 3px 0; }
  .text hr { border: 0; border-top: 1px solid var(--line); margin: 14px 0; }
  .text blockquote { padding-inline-start: 12px; border-inline-start: 3px solid var(--line); color: var(--soft); }
  .text a:not(.cite) { color: inherit; text-decoration-color: var(--soft); text-underline-offset: 3px; }
  .text a:not(.cite):hover { text-decoration-thickness: 2px; }
  code { font: .9em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--wash); border-radius: 4px; padding: 1px 4px; }
  pre { background: var(--wash); border-radius: 8px; padding: 10px 12px; overflow-x: auto; text-align: left; }
  pre code { padding: 0; background: none; overflow-wrap: normal; }
  .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; overflow-wrap: normal; }
  table { border-collapse: collapse; font-size: 14px; width: 100%; }
  th, td { padding: 6px 10px; text-align: start; vertical-align: top; border-top: 1px solid var(--line); }
  thead th { border-top: 0; background: var(--wash); font-weight: 600; }
  sup { line-height: 0; font-size: 1em; vertical-align: .3em; }
  .cite { display: inline-block; min-width: 17px; padding: 0 4px; margin-inline-start: 2px; border-radius: 5px; background: var(--wash); border: 1px solid var(--line); color: var(--soft);
    font-size: 11px; line-height: 15px; font-weight: 600; text-align: center; text-decoration: none; font-variant-numeric: tabular-nums; }
  a.cite:hover { background: var(--accent); border-color: var(--accent); color: var(--ink); }
  .none { display: grid; grid-template-columns: auto 1fr; column-gap: 10px; }
  .none > * { grid-column: 2; }
  .none > .mark { grid-column: 1; grid-row: 1; color: var(--soft); padding-top: 1px; }
  .none > .unseen { grid-column: 1; }

  .sources { margin-top: 12px; padding-top: 10px; border-top: 1px solid var(--line); font-size: 14px; }
  .sources h3 { margin: 0 0 2px; font-size: 12px; font-weight: 600; color: var(--soft); }
  .sources ol { list-style: none; margin: 0; padding: 0; }
  .sources li { display: flex; flex-wrap: wrap; align-items: center; gap: 0 8px; }
  .sources .cite { flex: none; margin: 0; }
  .sources .icon { width: 32px; height: 32px; }
  .source { flex: 1; min-width: 0; padding: 5px 0; display: flex; flex-direction: column; align-items: flex-start; color: inherit; text-decoration: none; line-height: 1.35; }
  .source b { max-width: 100%; font-weight: 500; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .source small { max-width: 100%; font-size: 12px; color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  a.source:hover b { text-decoration: underline; text-underline-offset: 3px; }
  .icon[aria-expanded="true"] svg { transform: rotate(180deg); }
  .sources blockquote { flex-basis: 100%; margin: 2px 0 8px; padding: 8px 12px; border-radius: 8px; background: var(--wash); color: var(--text); font-size: 13px; white-space: pre-line; max-height: 180px; overflow-y: auto; }

  .thumbs { display: flex; flex-wrap: wrap; align-items: center; gap: 2px; margin: 6px 0 -4px -7px; color: var(--soft); font-size: 13px; }
  [dir="rtl"] .thumbs { margin: 6px -7px -4px 0; }
  .thumbs .icon { width: 32px; height: 32px; }
  .thumbs svg { width: 18px; height: 18px; }
  .icon[aria-pressed="true"] { color: var(--text); }
  .icon[aria-pressed="true"] path { fill: currentColor; fill-opacity: .3; }
  .thanks { margin-inline-start: 6px; }
  .comment { flex-basis: 100%; display: flex; gap: 6px; padding: 4px 0 4px 7px; }
  .comment input { flex: 1; min-width: 0; font-size: 16px; padding: 5px 10px; border: 1px solid var(--line); border-radius: 8px; background: var(--face); color: var(--text); }
  .problem { display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; font-size: 14px; }
  .problem span { flex: 1; min-width: 60%; }
  .divider { margin: 0; text-align: center; font-size: 13px; color: var(--soft); }
  .dots { display: flex; gap: 5px; padding: 8px 2px; }
  .dots i { width: 7px; height: 7px; border-radius: 50%; background: var(--soft); animation: dot 1.2s infinite; }
  .dots i:nth-child(2) { animation-delay: .15s; }
  .dots i:nth-child(3) { animation-delay: .3s; }
  @keyframes dot { 0%, 60%, 100% { opacity: .25; } 30% { opacity: 1; } }

  .offers { display: flex; flex-wrap: wrap; gap: 8px; }
  .offers button { padding: 7px 13px; border: 1px solid var(--line); border-radius: 18px; background: var(--face); font-size: 14px; line-height: 1.4; text-align: start; overflow-wrap: anywhere; }
  .offers button:hover { background: var(--wash); border-color: var(--soft); }
  .choices button { border-color: var(--accent); }

  .notice { margin: 0; padding: 8px 16px; font-size: 14px; background: var(--wash); border-top: 1px solid var(--line); }
  .panel > form { display: flex; align-items: flex-end; gap: 8px; padding: 10px 12px calc(12px + env(safe-area-inset-bottom)); border-top: 1px solid var(--line); }
  textarea { flex: 1; min-width: 0; height: 44px; min-height: 44px; max-height: 140px; padding: 9px 14px; font-size: 16px; line-height: 24px; resize: none; border: 1px solid #868e96; border-radius: 14px; background: var(--face); }
  textarea::placeholder, .comment input::placeholder { color: var(--soft); opacity: 1; }
  textarea:focus-visible { outline-offset: 0; border-color: transparent; }
  .over textarea { border-color: var(--bad); }
  .send { flex: none; width: 44px; height: 44px; padding: 0; border: 0; border-radius: 14px; display: grid; place-items: center; background: var(--accent); color: var(--ink); }
  .over .send { opacity: .4; cursor: not-allowed; }

  @media (max-width: 480px) {
    .floating .panel { inset: 0; width: 100%; max-width: none; height: 100dvh; max-height: none; border: 0; border-radius: 0; }
    .launcher[aria-expanded="true"] { display: none; }
    .floating header { padding-top: calc(12px + env(safe-area-inset-top)); }
  }
  @media (prefers-color-scheme: dark) {
    .frame { --face: #17191c; --text: #e9ebed; --soft: #a3abb3; --line: #30353a; --wash: #23272b; --bad: #ff9d92; color-scheme: dark; }
    .floating .panel { box-shadow: 0 12px 48px rgb(0 0 0 / .6); }
  }
  @media (prefers-reduced-motion: reduce) {
    * { animation: none !important; transition: none !important; }
  }
  @media (forced-colors: active) {
    .bubble, .launcher, .send, .avatar { border: 1px solid; }
  }
  `;

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
