// What the figures with a real model share: files of the site, fetched when a reader asks for them, a worker in which the
// model runs, and the button that loads it. From the disk a page can read scripts only, so each file is one that hands over
// a value; over http it is fetched as a text, of which nothing is run.
((attnkit) => {
  "use strict";
  if (Object.hasOwn(attnkit, "inWorker")) return; // each figure that needs it brings it along
  const { h } = attnkit;

  // ---- the files

  const PATIENCE = 10_000; // milliseconds in which nothing comes, until a wait is given up
  const script = globalThis.document?.currentScript; // of the page; a notebook has none, nor needs it
  const source = script && "src" in script ? String(script.src) : "";
  const folder = source.replace(/[^/]*\/[^/]*$/, "");
  /** @type {Map<string, (value: any) => void>} */
  const awaited = new Map();
  attnkit.arrive = (name, value) => awaited.get(name)?.(value);

  /** @param {string} address @param {string} name */
  function scripted(address, name) {
    const script = h("script", { src: address });
    /** @type {Promise<any>} */
    const coming = new Promise((resolve, reject) => {
      awaited.set(name, resolve);
      script.addEventListener("error", reject);
      script.addEventListener("load", reject); // of no effect where it has arrived
      document.head.append(script);
    });
    return coming.finally(() => {
      awaited.delete(name);
      script.remove();
    });
  }
  // A text from the web; a host that says nothing for so long is given up.
  /** @param {string} address @param {RequestCache} cache */
  async function fetched(address, cache) {
    const given = new AbortController();
    let timer = 0;
    function wait() {
      clearTimeout(timer);
      timer = setTimeout(() => given.abort(), PATIENCE);
    }
    try {
      wait();
      const { ok, body, status } = await fetch(address, { cache, signal: given.signal });
      if (!ok || !body) throw new Error(String(status));
      const [letters, reader] = [new TextDecoder(), body.getReader()];
      for (let text = ""; ; ) {
        wait();
        const { done, value } = await reader.read();
        if (done) return text;
        text += letters.decode(value, { stream: true });
      }
    } finally {
      clearTimeout(timer);
    }
  }
  /** @param {string} name @param {string} [host] the folder of all such folders; the site's own if none is named */
  const addressOf = (name, host) => `${host || folder}${name}.js`;
  /** @param {string} address */
  const isOfWeb = (address) => address.startsWith("http");
  /** @param {string} name */
  function unread(name) {
    const told = isOfWeb(folder)
      ? "Is there a connection? What has come so far is kept: press the button again."
      : "Is the folder _static still beside the pages?";
    return new Error(`The file ${name}.js could not be read. ${told}`);
  }
  attnkit.fetched = async (name) => {
    const address = addressOf(name);
    if (!isOfWeb(address))
      return scripted(address, name).catch(() => {
        throw unread(name);
      });
    for (const cache of /** @type {const} */ (["default", "reload"])) {
      const text = await fetched(address, cache).catch(() => "");
      try {
        return JSON.parse(text.slice(text.indexOf(",") + 1, text.lastIndexOf(")")));
      } catch {} // half of it, or a login page: once more, past whatever keeps it
    }
    throw unread(name);
  };

  // ---- the parts of a model: bytes in base64, each part with a digest, which is checked before any of it is used

  /** @param {ArrayLike<number>} numbers @param {number} digits */
  const hex = (numbers, digits) => Array.from(numbers, (n) => (n >>> 0).toString(16).padStart(digits, "0")).join("");
  // SHA-256: the browser's own, or where it has none for a page over plain http, digest.js, ten times as slow.
  /** @type {Promise<(bytes: Uint8Array) => Int32Array> | undefined} */
  let here;
  attnkit.sha256 = async (bytes) => {
    const own = globalThis.crypto?.subtle;
    if (own) return hex(new Uint8Array(await own.digest("SHA-256", bytes)), 2);
    here ??= scripted(addressOf("figures/digest"), "digest");
    return hex((await here)(bytes), 8);
  };
  // What stands in the comment of a part, as bytes in an array that has room for them; how many they are.
  /** @param {string} text @param {Uint8Array} bytes */
  function decode(text, bytes) {
    const inner = text.slice(text.indexOf("/*") + 2, text.lastIndexOf("*/"));
    if ("setFromBase64" in bytes) return /** @type {any} */ (bytes).setFromBase64(inner).written;
    const letters = atob(inner);
    for (let k = 0; k < letters.length; k++) bytes[k] = letters.charCodeAt(k);
    return letters.length;
  }

  // The browser's store, where the site is on the web: what fails there, or never answers, is not asked again.
  /** @param {string} name */
  function storeOf(name) {
    /** @type {Promise<Cache> | null} */
    let opened = isOfWeb(folder) ? (async () => caches.open(`attention-step-by-step/${name}`))() : null; // it may be refused
    let lost = false;
    return {
      lost: () => lost,
      /** @template T @param {(store: Cache) => Promise<T>} act @returns {Promise<T | undefined>} */
      async ask(act) {
        let timer = 0;
        const late = new Promise((_, reject) => (timer = setTimeout(reject, PATIENCE)));
        try {
          return opened ? /** @type {T} */ (await Promise.race([opened.then(act), late])) : undefined;
        } catch {
          opened = null;
          lost = true;
        } finally {
          clearTimeout(timer);
        }
      },
    };
  }
  const WRONG = "A part of the model arrived wrong, and is fetched once more.";
  const LOGIN = "Is there a login page in between? What was right is kept.";
  const UNKEPT = "This browser does not keep the model: it will be fetched again the next time.";

  attnkit.parts = async (name, { digests, each, host }, { tell, wanted }, use) => {
    const store = storeOf(name);
    let bytes = new Uint8Array(each);
    /** @param {number} count @param {number} k */
    const isRight = async (count, k) => (await attnkit.sha256(bytes.subarray(0, count))) === digests[k];
    // So many bytes of a part that was kept; 0 if none was, or if it is wrong by now, and gone.
    /** @param {string} address @param {number} k */
    async function kept(address, k) {
      const found = await store.ask(async (store) => (await store.match(address))?.arrayBuffer());
      if (!found || found.byteLength > each) return 0;
      bytes.set(new Uint8Array(found));
      if (await isRight(found.byteLength, k)) return found.byteLength;
      await store.ask((store) => store.delete(address));
      return 0;
    }
    /** @param {string} address @param {number} k */
    async function brought(address, k) {
      const [part, web] = [`${name}/${k}`, isOfWeb(address)];
      let text = "";
      for (const cache of /** @type {RequestCache[]} */ (web ? ["default", "reload"] : ["default"])) {
        if (cache === "reload") tell({ message: WRONG });
        text = String(await (web ? fetched(address, cache) : scripted(address, part)).catch(() => ""));
        let count = 0;
        try {
          count = decode(text, bytes);
        } catch {} // no base64, or more than there is room for
        if (count && (await isRight(count, k))) return count;
      }
      throw text ? new Error(`The file ${part}.js is wrong, so nothing of it is used. ${LOGIN}`) : unread(part);
    }
    for (let k = 0; k < digests.length && wanted(); k++) {
      tell({ part: k, parts: digests.length });
      const address = addressOf(`${name}/${k}`, host);
      let count = await kept(address, k);
      if (!count) {
        count = await brought(address, k);
        const copy = new Response(bytes.slice(0, count));
        await store.ask((store) => store.put(address, copy));
      }
      bytes = await use(bytes, count); // the same array goes and comes back with each part: none is left to be tidied up
    }
    tell({ part: digests.length });
    if (store.lost()) tell({ message: UNKEPT });
  };

  // ---- a model in a worker, shared by all figures of the page

  // A worker gets functions, classes and plain values as texts, under their names, and calls `program` with itself.
  /** @param {Record<string, unknown>} names @param {(message: MessageEvent) => void} hear @param {(error: Error) => void} fail */
  function start(names, hear, fail) {
    const lines = Object.entries(names).map(
      ([name, value]) => `const ${name} = ${typeof value === "function" ? value : JSON.stringify(value)};`,
    );
    const text = ['"use strict";', ...lines, "program(self);"].join("\n");
    const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const made = new Worker(address);
    URL.revokeObjectURL(address);
    made.onmessage = hear;
    made.onerror = () =>
      fail(new Error("This browser does not let the page compute beside itself (no worker starts)."));
    return made;
  }

  // How far it has come, and who wants to know.
  function told() {
    /** @type {Set<() => void>} */
    const watchers = new Set();
    /** @type {LargeModel["status"]} */
    const status = { state: "absent", part: 0, parts: 1, runs: "", message: "" };
    return {
      status,
      /** @param {Partial<LargeModel["status"]>} changes */
      tell(changes) {
        Object.assign(status, changes);
        for (const watcher of watchers) watcher();
      },
      /** @param {() => void} watcher */
      watch(watcher) {
        watchers.add(watcher);
        return () => watchers.delete(watcher);
      },
    };
  }

  // Questions that are on their way, and the answers that come to them.
  /** @param {(message: object, moved: ArrayBuffer[]) => void} post */
  function asking(post) {
    /** @type {Map<number, { resolve(found: any): void, onDone(share: number): void }>} */
    const asked = new Map();
    let count = 0;
    return {
      /** @param {object} question @param {(share: number) => void} [onDone] @param {ArrayBuffer[]} [moved] @returns {Promise<any>} */
      ask: (question, onDone = () => {}, moved = []) =>
        new Promise((resolve) => {
          asked.set(++count, { resolve, onDone });
          post({ asked: count, ...question }, moved);
        }),
      /** @param {{ asked: number, done?: number, found?: any }} answer */
      answer({ asked: number, done, found }) {
        const { resolve, onDone } = asked.get(number) ?? {};
        if (done !== undefined) return onDone?.(done);
        asked.delete(number);
        resolve?.(found);
      },
      forget: () => asked.clear(),
    };
  }

  // It is said {ready}, {failed}, or of what it was asked {asked, found}, before that perhaps {asked, done}, a share.
  attnkit.inWorker = (names, bring) => {
    /** @type {Worker | null} */
    let worker = null;
    let run = 0; // a load that was stopped is another one than the present
    const { ask, answer, forget } = asking((message, moved) => post(message, moved));
    const { status, tell, watch } = told();
    /** @param {MessageEvent} event */
    function hear({ data }) {
      if (data.ready) return tell({ state: "ready", runs: data.ready });
      if (data.failed) return fail(new Error(data.failed));
      answer(data);
    }
    /** @param {unknown} error */
    function fail(error) {
      end();
      tell({ state: "failed", message: error instanceof Error ? error.message : String(error) });
    }
    function end() {
      run++;
      worker?.terminate();
      worker = null;
      forget();
    }
    /** @param {object} message @param {ArrayBuffer[]} [moved] */
    const post = (message, moved = []) => worker?.postMessage(message, moved);
    async function load() {
      if (status.state === "loading" || status.state === "ready") return;
      const mine = ++run;
      tell({ state: "loading", part: 0, message: "" });
      try {
        worker = start(names, hear, fail);
        await bring({
          post: (message) => mine === run && post(message),
          ask: (question, moved) => (mine === run ? ask(question, () => {}, moved) : new Promise(() => {})),
          tell: (changes) => mine === run && tell(changes),
          wanted: () => mine === run,
        });
      } catch (error) {
        if (mine === run) fail(error);
      }
    }
    return {
      status,
      load,
      stop() {
        end();
        tell({ state: "absent" });
      },
      ask,
      post,
      watch,
    };
  };

  // ---- what a figure shows of it: a button, then a bar that can be stopped, then whatever needs the model

  attnkit.loader = (figure, model, size, ready) => {
    const live = "send" in figure.model; // then the kernel has the model
    const button = attnkit.button(`Load the model (${size} MB, stays in this browser)`, () => model.load(), {
      "data-ak-once": true, // no button "Reset" leads back from it
    });
    const bar = h("progress", { max: 1, value: 0, "aria-label": "Loading the model" });
    const stop = attnkit.button("Stop", () => model.stop());
    const words = h("span", { "aria-live": "polite" });
    const come = h("span", { class: "ak-small" });
    const loading = h("div", { class: "ak-buttons" }, bar, come, stop);
    const element = h("div", { class: "ak-loader" }, button, loading, words, ready);
    function show() {
      const { state, part, parts, message } = model.status;
      const held = document.activeElement;
      button.hidden = live || state === "loading" || state === "ready";
      loading.hidden = state !== "loading";
      ready.hidden = !live && state !== "ready";
      bar.value = part / parts;
      attnkit.write(come, `${Math.round((size * part) / parts)} of ${size} MB`);
      // What held the focus is hidden now: the next thing to press has it.
      if (held && element.contains(held) && !held.getClientRects().length)
        (state === "loading" ? stop : state === "ready" ? ready.querySelector("input") : button)?.focus();
      attnkit.write(words, state === "loading" && part === parts ? "Unpacking ..." : message);
    }
    const unwatch = model.watch(show);
    show();
    return { element, live, stop: unwatch };
  };
})(globalThis.attnkit);
