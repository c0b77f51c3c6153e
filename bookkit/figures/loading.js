// What the figures with a real model share: files of the site, fetched when a reader asks for them, a worker in which the
// model runs, and the button that loads it. Over http and from the disk alike: each file is a script that hands over a value.
((attnkit) => {
  "use strict";
  if (Object.hasOwn(attnkit, "inWorker")) return; // each figure that needs it brings it along
  const { h } = attnkit;

  // ---- the files

  const script = globalThis.document?.currentScript; // of the page; a notebook has none, nor needs it
  const source = script && "src" in script ? String(script.src) : "";
  const folder = source.replace(/[^/]*\/[^/]*$/, "");
  /** @type {Map<string, (value: any) => void>} */
  const awaited = new Map();
  attnkit.arrive = (name, value) => awaited.get(name)?.(value);

  attnkit.address = (name) => `${folder}${name}.js`;
  attnkit.fetched = (name) => {
    const script = h("script", { src: attnkit.address(name) });
    /** @type {Promise<any>} */
    const coming = new Promise((resolve, reject) => {
      awaited.set(name, resolve);
      const kept =
        location.protocol === "file:"
          ? "Is the folder _static still beside the pages?"
          : "Is there a connection? What has come so far is kept: press the button again.";
      const failed = () => reject(new Error(`The file ${name}.js could not be read. ${kept}`));
      script.addEventListener("error", failed);
      script.addEventListener("load", failed); // of no effect where it has arrived
      document.head.append(script);
    });
    return coming.finally(() => {
      awaited.delete(name);
      script.remove();
    });
  };

  // ---- a model in a worker, shared by all figures of the page

  /** @param {unknown} program @param {(message: MessageEvent) => void} hear @param {(error: Error) => void} fail */
  function start(program, hear, fail) {
    const text = `"use strict";(${program})(self);`;
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
  attnkit.inWorker = (program, bring) => {
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
        worker = start(program, hear, fail);
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
