// The two contents buttons: the theme's scripts open and close; here is what they leave out. The list of chapters says whether
// it is in sight, and whoever follows a link to a place on the page stands there, not under a dialog that stayed open.
(() => {
  "use strict";
  const wide = matchMedia("(min-width: 992px)"); // where the theme shows the chapters beside the page

  function tells(button, side, dialog) {
    const say = () => {
      const shown = dialog.open || (wide.matches && !side.classList.contains("pst-sidebar-hidden"));
      button.setAttribute("aria-expanded", String(shown));
    };
    const changes = new MutationObserver(say);
    changes.observe(side, { attributeFilter: ["class"] });
    changes.observe(dialog, { attributeFilter: ["open"] });
    wide.addEventListener("change", say);
    say();
  }

  function follows(dialog) {
    dialog.addEventListener("click", (event) => {
      const link = event.target.closest("a");
      if (!dialog.open || !link || link.pathname !== location.pathname) return;
      event.preventDefault();
      // The theme gives the focus back to the button first; then the place has it.
      dialog.addEventListener(
        "close",
        () => {
          location.hash = link.hash;
          const place = document.getElementById(decodeURIComponent(link.hash.slice(1)));
          place?.setAttribute("tabindex", "-1");
          place?.focus({ preventScroll: true });
        },
        { once: true },
      );
      dialog.close();
    });
  }

  // A page as slides, where its address asks for it: nobody else pays for that.
  if (new URLSearchParams(location.search).has("present")) {
    const src = document.currentScript.src.replace("contents.js", "present/present.js");
    document.head.append(Object.assign(document.createElement("script"), { src }));
  }

  // A finger cannot point: its first tap on a term shows what it means, the second follows.
  document.addEventListener("click", (event) => {
    const term = event.target.closest?.(".ak-to-term");
    const finger = event.pointerType === "touch" && !term?.classList.contains("ak-tapped");
    for (const other of document.querySelectorAll(".ak-to-term.ak-tapped")) other.classList.remove("ak-tapped");
    if (!term || !finger) return;
    event.preventDefault();
    term.classList.add("ak-tapped");
  });

  // What a term means is shown while it is pointed at or has the focus; Escape puts it away until it is left.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const term of document.querySelectorAll(".ak-to-term:is(:hover, :focus)")) {
      term.classList.add("ak-hushed");
      for (const left of ["mouseleave", "blur"]) {
        term.addEventListener(left, () => term.classList.remove("ak-hushed"), { once: true });
      }
    }
  });

  document.addEventListener("DOMContentLoaded", () => {
    for (const name of ["primary", "secondary"]) {
      const [side, dialog] = ["", "-modal"].map((end) => document.getElementById(`pst-${name}-sidebar${end}`));
      const button = document.querySelector(`.${name}-toggle button`);
      if (!side || !dialog || !button) continue;
      if (name === "primary") {
        tells(button, side, dialog);
        const here = side.querySelector("[aria-current]");
        const seen = here && here.offsetTop > side.scrollTop && here.offsetTop < side.scrollTop + side.clientHeight;
        if (here && !seen) side.scrollTop = here.offsetTop - side.clientHeight / 2;
      }
      follows(dialog);
    }
  });
})();
