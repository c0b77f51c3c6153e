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

  // What a term means is shown while it is pointed at or has the focus; Escape puts it away until it is left.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const term of document.querySelectorAll(".ak-term:is(:hover, :focus)")) {
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
      if (name === "primary") tells(button, side, dialog);
      follows(dialog);
    }
  });
})();
