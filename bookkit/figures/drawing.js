// What drawings share: places in them, fields of numbers, planes of points, charts with their axes.
((attnkit) => {
  "use strict";
  const { svg } = attnkit;

  // A place as a drawing writes it, a line from place to place, and what is moved to a place.
  attnkit.spot = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  attnkit.path = (points) => `M${points.map(attnkit.spot).join("L")}`;
  attnkit.move = (node, point) => attnkit.attr(node, "transform", `translate(${attnkit.spot(point)})`);

  attnkit.label = (x, y, text, kind, anchor = "middle") => {
    const node = svg("text", { x, y, class: kind, "text-anchor": anchor });
    node.textContent = text;
    return node;
  };

  // A line to a place with a barb on either side.
  attnkit.arrow = (from, [x, y], barb) => {
    const angle = Math.atan2(y - from[1], x - from[0]);
    /** @param {number} turn @returns {Point} */
    const back = (turn) => [x - barb * Math.cos(angle + turn), y - barb * Math.sin(angle + turn)];
    return attnkit.path([from, [x, y]]) + attnkit.path([back(0.5), [x, y], back(-0.5)]);
  };

  // A drawing of numbers: `at` leads from them to the drawing, `from` back from a pointer's event, and `scale` says which of
  // them lie at the edges of its field: left and right, bottom and top.
  attnkit.field = (kind, [wide, high], [left, top, right, bottom]) => {
    const element = svg("svg", { viewBox: `0 0 ${wide} ${high}`, class: kind, "aria-hidden": "true" });
    let [first, last, low, most] = [0, 1, 0, 1];
    return {
      element,
      scale(across, up) {
        [first, last, low, most] = [...across, ...up];
      },
      at: (x, y) => [
        left + ((x - first) / (last - first)) * (right - left),
        bottom - ((y - low) / (most - low)) * (bottom - top),
      ],
      from(event) {
        const box = element.getBoundingClientRect();
        const x = ((event.clientX - box.left) * wide) / box.width;
        const y = ((event.clientY - box.top) * high) / box.height;
        return [
          first + ((x - left) / (right - left)) * (last - first),
          low + ((bottom - y) / (bottom - top)) * (most - low),
        ];
      },
    };
  };

  // A plane of points, perhaps with its axes and their names.
  attnkit.plane = ({ limit, axes }) => {
    const [side, start, middle, end] = [320, 16, 160, 304];
    const field = attnkit.field("ak-plane", [side, side], [start, start, end, end]);
    field.scale([-limit, limit], [-limit, limit]);
    if (axes)
      field.element.append(
        svg("path", { d: `M${start} ${middle}H${end}M${middle} ${start}V${end}`, class: "ak-axis" }),
        attnkit.label(end, middle - 7, axes[0], "ak-small", "end"),
        attnkit.label(middle - 6, start + 6, axes[1], "ak-small", "end"),
      );
    return field;
  };

  // A chart: a field with an axis to its left and one below; `beside` and `below` write some words along them.
  attnkit.chart = (size, edges) => {
    const field = attnkit.field("ak-chart", size, edges);
    const [left, top, right, bottom] = edges;
    field.element.append(svg("path", { d: `M${left} ${top}V${bottom}H${right}`, class: "ak-axis" }));
    /** @param {string[]} words @param {(share: number) => Point} place @param {string} anchor */
    const write = (words, place, anchor) => {
      const labels = words.map((word, k) => attnkit.label(...place(k / (words.length - 1)), word, "ak-small", anchor));
      field.element.append(...labels);
      return labels;
    };
    return {
      ...field,
      beside: (...words) => write(words, (share) => [left - 6, bottom + 5 - share * (bottom - top)], "end"),
      below: (...words) => write(words, (share) => [left + share * (right - left), bottom + 18], "middle"),
    };
  };
})(globalThis.attnkit);
