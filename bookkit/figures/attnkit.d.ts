// The types of what the figures share, for `make lint` alone: no page and no notebook loads this file. core.js makes
// what Attnkit lists; each figure's own types stand in its script.

type Matrix = number[][];
type Point = [x: number, y: number];
type Pair = [row: number, column: number];
// Two numbers are still two when they are mapped.
interface Array<T> {
  map<U>(this: [T, T], f: (value: T, k: number) => U): [U, U];
}
// What squares are filled with: by sign, or that of the weights.
type Fill = "positive" | "negative" | "weight" | "amount";
// The rules of a style that are texts, as CSS names them in scripts.
type Rule = keyof { [K in keyof CSSStyleDeclaration as CSSStyleDeclaration[K] extends string ? K : never]: K } & string;

// What an element is made with: attributes, and what answers its events. A true one is set, a false or empty one is not.
type Attribute = string | number | boolean | null | undefined;
type Handlers = { [E in keyof HTMLElementEventMap as `on${E}`]?: (event: HTMLElementEventMap[E]) => void };
type Props = Handlers & { [name: string]: Attribute | ((event: never) => void) };
type Child = Node | string | Part | null | undefined | Child[];

// What a figure is made of: something in the page that shows a value.
interface Part {
  element: HTMLElement | SVGElement;
}
interface Control<S, V> {
  show(value: V, state: S): void;
}
interface Slider<S> extends Part {
  element: HTMLElement;
  input: HTMLInputElement;
  output: HTMLElement;
  show(value: number, state: S, shown?: number): void;
}
interface LogSlider<S> extends Part {
  element: HTMLElement;
  show(value: number, state: S): void;
}
interface Choice extends Part {
  element: HTMLElement;
  buttons: HTMLButtonElement[];
  show(chosen: number): void;
}
interface Menu extends Part {
  element: HTMLElement;
  input: HTMLSelectElement;
  show(chosen: number): void;
}
interface Gauge extends Part {
  show(share: number, words: string): void;
}
interface WordBars extends Part {
  element: HTMLElement;
  bars: HTMLElement[];
  numbers: HTMLElement[]; // the places where the chances are said
  show(words: [text: string, chance: number][], look?: { drawn?: number; digits?: number }): void;
}
// A group of buttons with one stop of the tab key.
interface Walk {
  at(k: number): void;
  within(count: number): void;
}
type Edges = [left: number, top: number, right: number, bottom: number];
interface Plane {
  element: SVGSVGElement;
  scale(across: Point, up: Point): void;
  at(x: number, y: number): Point;
  from(event: MouseEvent): Point;
}
interface Chart extends Plane {
  beside(...words: string[]): SVGTextElement[];
  below(...words: string[]): SVGTextElement[];
}
interface Bar extends Part {
  element: HTMLElement;
  show(share: number): void;
}
interface Squares extends Part {
  show(numbers: Matrix, vmax: number): void;
}
interface Average {
  behind: SVGElement[];
  dot: SVGElement;
  show(points: Point[], weights: number[]): Point; // where it stands in the drawing
}
interface Raster {
  element: HTMLCanvasElement;
  show(values: ArrayLike<number>, vmax: number): void;
}
interface WeightTable extends Part {
  element: HTMLElement;
  cells: { square: HTMLElement; element: HTMLElement }[][];
  lines: HTMLElement[];
  stop: Walk;
  lay(from: string[], to: string[]): void;
  show(weights: Matrix, written: (weight: number, row: number) => string): void;
}
interface Clock {
  start(every?: number): void;
  halt(): void;
  runs(): boolean;
}

// What a slider looks like and says; `S` is the state of the figure.
interface SliderLook<S> {
  name: string;
  min: number;
  max: number;
  step: number;
  digits?: number;
  plus?: boolean; // whether a sign stands before what is above 0, too
  format?(value: number): string;
  word?(value: number, state: S): string;
}
// What a control sets: a trait of its type, or what `read` finds in the state and `write` makes changes of.
type Named<S, V> = keyof { [K in keyof S as V extends S[K] ? K : never]: K };
interface Bound<S, V> {
  trait?: Named<S, V>;
  read?(state: S): V;
  write?(value: V, state: S): Partial<S>;
}
// The same of the numbers of one trait.
interface SomeBound<S> {
  trait: keyof { [K in keyof S as S[K] extends number[] ? K : never]: K };
  write?(value: number, state: S, k: number): Partial<S>;
}

// anywidget's model, or the part of it that a static page has; what Python has sent is given its type by the figures.
interface Model {
  // biome-ignore lint/suspicious/noExplicitAny: Python says what it is, trait by trait.
  get(name: string): any;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, f: () => void): void;
  off(event: string, f: () => void): void;
}
// What can be pointed at, in HTML or in a drawing.
interface Grip {
  setPointerCapture(pointer: number): void;
  addEventListener<E extends keyof HTMLElementEventMap>(
    kind: E,
    listener: (event: HTMLElementEventMap[E]) => void,
  ): void;
}
interface Place {
  model: Model;
  el: HTMLElement;
}

// biome-ignore lint/suspicious/noExplicitAny: in the core, the state of any figure.
type State = Record<string, any>;

// A figure with what the reader can change, `S`, and what else Python has given it, `G`.
interface Figure<S, G> {
  model: Model;
  element: HTMLElement;
  live: HTMLElement;
  heard: HTMLElement;
  stale: boolean;
  get(name: "defaults"): S;
  get<K extends keyof (S & G)>(name: K): (S & G)[K];
  given<K extends keyof (S & G)>(...names: K[]): Pick<S & G, K>;
  state(): S;
  put(changes: Partial<S>): void;
  redraw(): void;
  follow<V, C extends Control<S, V>>(control: C, bound: Bound<S, V>): C;
  slider(options: SliderLook<S> & Bound<S, number>): Slider<S>;
  temperature(what: string): Slider<S>;
  sliders(options: { names: string[] } & Omit<SliderLook<S>, "name"> & SomeBound<S>): Slider<S>[];
  logSlider(options: { name: string; most: number } & Bound<S, number>): LogSlider<S>;
  choice(options: { label: string; words: string[] } & Bound<S, number>): Choice;
  choice<V>(options: { label: string; words?: string[]; values: V[] } & Bound<S, V>): Choice;
  menu(options: { label: string; words: string[]; lang?: string | null } & Bound<S, number>): Menu;
  seedField(seeds: number, take: (seed: number) => void): HTMLInputElement;
  button(words: string, changes: (state: S) => Partial<S>, stuck?: (state: S) => string): HTMLButtonElement;
  reset(also?: () => void): HTMLButtonElement;
  say(text: string): void;
}

// What the script of a figure makes of it.
interface Built<S> {
  parts: Child[];
  update(state: S): void;
  measure?(state: S): void;
  stop?(): void;
}
interface Kind<S, G> {
  label: string;
  wide?: boolean; // whether it has more to show than a column of text is wide
  compute(state: never): unknown;
  build(figure: Figure<S, G>): Built<S>;
}
interface Registered {
  compute(state: never): unknown;
  start(place: Place): () => void;
  render(place: Place): () => void;
}

// ---- trained models: what Python packs, and what model.js makes of it

type Shape = (number | null)[];
interface Packed {
  version: number;
  bits: number;
  unit: number;
  tensors: Record<string, { shape: number[]; steps: number[]; numbers: string }>;
}
interface PackedDecoder extends Packed {
  words: string[];
  context: number;
  width: number;
  num_heads: number;
  num_layers: number;
  hidden: number;
  epsilon: number;
  output_scale: number;
  attention: string;
}
// What one is made from, and what is known of one that a reader has trained.
interface Tensor {
  shape: number[];
  values: Float64Array;
}
interface Trained {
  model: string;
  seed?: number;
  steps?: number;
  loss?: number;
}
// biome-ignore lint/suspicious/noExplicitAny: functions and classes that a worker gets, each with its own types.
type Program = any;
interface PackedTranslator extends Packed {
  source_words: string[];
  target_words: string[];
  width: number;
  states: number;
}
// Results by name, a row for each place or step; those of a decoder's layers that figures show.
type Decoded = {
  scores: Matrix;
  embedding: Float64Array[];
  [weights: `layers.${number}.weights`]: Matrix[];
  [rows: `layers.${number}.${"heads" | "mlp" | "after_mlp"}`]: Float64Array[];
};
type Translated = { annotations: Float64Array[]; weights: Matrix; chances: Matrix; words: number[] };
// A part of another run that is put into one, at its last place: what a head has blended, or what an MLP adds.
type Moved = { layer: number; part: number | "mlp"; vector: number[] };
type Contribution = { layer: number; part: number | "embedding" | "mlp" | "bias"; adds: number };
interface Decoder {
  tensors: Record<string, Float64Array>;
  trace(numbers: number[], moved?: Moved[]): Decoded;
  soFar(stream: Float64Array): number[];
  contributions(traced: Decoded, word: number, other: number): Contribution[];
}
interface Translator {
  trace(numbers: number[], count: number, put?: Record<number, number>): Translated;
}

// The real model, which a worker runs: a sentence read by it, and the model as the figures of a page share it.
interface Reading {
  pieces: string[];
  cut: boolean;
  maps: string; // a byte for each weight, in base64
  weights: Float32Array;
  vector: Float32Array;
  took: number; // milliseconds
}
// A model in a worker (loading.js), as the figures of a page share it.
interface LargeModel {
  status: {
    state: "absent" | "loading" | "ready" | "failed";
    part: number;
    parts: number;
    runs: string; // "WebAssembly", or "JavaScript" where that is not allowed
    message: string;
  };
  load(): Promise<void>;
  stop(): void;
  // biome-ignore lint/suspicious/noExplicitAny: each model answers in its own way.
  ask(question: object, onDone?: (share: number) => void, moved?: ArrayBuffer[]): Promise<any>;
  post(message: object, moved?: ArrayBuffer[]): void;
  watch(watcher: () => void): () => void;
}
// What brings a model its files: messages to the worker, what is told of it, and whether it is wanted still.
interface Bringing {
  post(message: object): void;
  // biome-ignore lint/suspicious/noExplicitAny: each model answers in its own way.
  ask(question: object, moved?: ArrayBuffer[]): Promise<any>;
  tell(changes: Partial<LargeModel["status"]>): void;
  wanted(): boolean;
}
interface MiniLM extends LargeModel {
  read(text: string): Promise<Reading>;
}

// The chat model's answers: a text cut in pieces; and what it makes of some pieces, at the last of them.
interface ChatPieces {
  numbers: number[];
  words: string[]; // what each adds to the text: of a letter cut in two, nothing and then the letter
}
interface ChatFound {
  likeliest: [number: number, word: string, chance: number][];
  weights: Float32Array; // of each head, layer by layer, a row of as many as there are pieces
  losses: number[]; // of each piece but the first, where they were asked for
  took: number; // milliseconds
  fresh: number; // pieces that were not kept from before
}
interface ChatQuestion {
  numbers: number[];
  without?: number[]; // heads, counted through all layers
  losses?: boolean;
  taught?: number; // how much is added of what was learned beside the matrices
}
interface Chat extends LargeModel {
  program: unknown;
  kernel: string;
  context: number; // pieces that are read at most
  of(figure: { model: Model }): Chatting;
  // What its figures show: pieces as they can be seen, and all heads.
  isMark(word: string): boolean;
  visible(word: string): string;
  spelled(word: string): string;
  said(word: string): string;
  named(head: number, heads: number): string;
  grid(
    // biome-ignore lint/suspicious/noExplicitAny: a figure of either kind, with ChatHeads among what is given.
    figure: Figure<any, any>,
    choose: (head: number) => void,
  ): {
    element: HTMLElement;
    show(state: ChatShade, pressed: number[], recorded?: ((head: number) => boolean) | null): void;
  };
}
interface ChatShade {
  shade: number;
}
// What Python gives both of them (Kernel in chat.py).
interface ChatHeads {
  asks: boolean;
  layers: number;
  heads: number;
  kinds: { name: string; scores: Matrix }[];
}
// The same as one figure asks it: in a notebook it is the kernel that answers.
interface Chatting {
  live: boolean;
  ready(): boolean;
  cut(text: string, marks: boolean): Promise<ChatPieces>;
  words(numbers: number[]): Promise<string[]>;
  read(question: ChatQuestion, onDone?: (share: number) => void): Promise<ChatFound | null>;
  taught(): boolean; // whether it has been taught what "Tune it" teaches
  teach(): Promise<void>;
  halt(): void; // what is being read is given up: null
}

// A figure on a page, as what stands outside it knows it.
interface Alive {
  element: HTMLElement;
  controls: ((state: Record<string, unknown>) => void)[];
  get(name: "defaults"): Record<string, unknown>;
  state(): Record<string, unknown>;
  put(changes: Record<string, unknown>): void;
}

// What words of the text do to the figure with this id: set what it shows, or press one of its buttons.
interface Act {
  of: string;
  set?: Record<string, unknown>;
  press?: string;
}

interface Attnkit {
  figures: Record<string, Registered>;
  fixed(x: number, digits?: number, plus?: boolean): string;
  compact(x: number): string;
  grouped(n: number): string;
  many(count: number, thing: string): string;
  pair(numbers: number[], digits?: number): string;
  opacity(value: number, vmax: number): number;
  sum(numbers: number[]): number;
  dot(a: number[], b: number[]): number;
  softmax(scores: number[]): number[];
  argmax(numbers: number[]): number;
  xorshift(seed: number): () => number;
  blend<P extends number[]>(weights: number[], values: P[]): P;
  hull<P extends number[]>(points: P[]): P[];
  meanings(text: string): number[];
  quoted(word: string): string;
  listed(words: string[]): string;
  id(kind: string): string;
  h<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    props?: Props | null,
    ...children: Child[]
  ): HTMLElementTagNameMap[K];
  svg<K extends keyof SVGElementTagNameMap>(
    tag: K,
    props?: Record<string, string | number>,
    ...children: Child[]
  ): SVGElementTagNameMap[K];
  paint(el: HTMLElement, value: number, vmax: number, kind?: Fill): void;
  balance(): { element: HTMLElement; show(v: number, most: number): void };
  write(node: Node, text: string): void;
  style(node: HTMLElement | SVGElement, name: Rule, value: string): void;
  attr(node: Element, name: string, value: string | number): void;
  button(words: Child, onclick: (event: MouseEvent) => void, props?: Props): HTMLButtonElement;
  controls(...parts: Child[]): HTMLElement;
  row(...parts: Child[]): HTMLElement;
  tr(name: Child, ...cells: Child[]): HTMLTableRowElement;
  table(kind: string, heads: Child[] | HTMLElement, rows: Child[]): HTMLTableElement;
  squares(kind: string, heads: Child[] | HTMLElement, names: string[], columns: number): Squares;
  bar(): Bar;
  box(part: Element, element: Element): { left: number; right: number; top: number; bottom: number };
  keys(node: Grip, ways: Record<string, (() => void) | undefined>): void;
  walk(
    buttons: HTMLButtonElement[],
    options?: {
      columns?: number;
      start?: number;
      across?: ((from: HTMLElement, step: number) => HTMLElement | undefined) | null;
    },
  ): Walk;
  toggled(numbers: number[], k: number): number[];
  gauge(): Gauge;
  wordBars(count: number, take?: ((k: number) => void) | null, lang?: string | null): WordBars;
  menu(label: string, words: string[], onChoose: (chosen: number) => void, lang?: string | null): Menu;
  choice(label: string, words: Child[], onChoose: (chosen: number) => void): Choice;
  slider<S>(options: SliderLook<S> & { onInput(value: number): void }): Slider<S>;
  logSlider<S>(options: { name: string; most: number; onInput(value: number): void }): LogSlider<S>;
  spot(point: Point): string;
  path(points: Point[]): string;
  move(node: SVGElement, point: Point): void;
  arrow(from: Point, to: Point, barb: number): string;
  field(kind: string, size: Point, edges: Edges): Plane;
  plane(options: { limit: number; axes?: string[] }): Plane;
  chart(size: Point, edges: Edges): Chart;
  grip(plane: Plane, move: (point: Point) => void): SVGCircleElement;
  average(plane: Plane, count: number): Average;
  raster(rows: number, columns: number, kinds?: Fill[]): Raster;
  label(x: number, y: number, text: string, kind: string, anchor?: string): SVGTextElement;
  drag(node: Grip, move: (event: PointerEvent) => void, options?: { grab?: () => void; sideways?: boolean }): void;
  calm(): boolean;
  alike(a: number[], b: number[]): boolean;
  glide(draw: (numbers: number[]) => void): { to(numbers: number[]): void; stop(): void; atOnce(): void };
  clock(tick: (time: number) => void): Clock;
  unpack(packed: Packed, shapes: Record<string, Shape>): Record<string, Float64Array>;
  pack<A extends object>(tensors: Record<string, Tensor>, bits: number, about: A): Packed & A;
  mine(): (PackedDecoder & Trained) | null;
  keep(model: (PackedDecoder & Trained) | null): void;
  seeds: Program;
  grammar: Program;
  learner: Program;
  decoder(packed: PackedDecoder, without?: string): Decoder;
  translator(packed: PackedTranslator): Translator;
  ranked(numbers: number[], never?: number[]): number[];
  chances(scores: number[], order: number[], temperature: number, most: number | null): number[];
  chosen(scores: number[], order: number[], temperature: number, most: number | null, random: number): number;
  random(seed: number, place: number): number;
  fill(nodes: HTMLElement[], words: string[]): void;
  weightTable(
    lookers: HTMLButtonElement[],
    columns: number,
    choose: (side: "row" | "column", place: number) => void,
    look: { corner?: string; lang?: string | null; label: string },
  ): WeightTable;
  inWorker(names: Record<string, unknown>, bring: (model: Bringing) => Promise<void>): LargeModel;
  // biome-ignore lint/suspicious/noExplicitAny: whatever a file of the site hands over.
  fetched(name: string): Promise<any>;
  sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string>;
  parts(
    name: string,
    about: { digests: string[]; each: number; host: string },
    loading: Pick<Bringing, "tell" | "wanted">,
    use: (bytes: Uint8Array<ArrayBuffer>, count: number) => Promise<Uint8Array<ArrayBuffer>>,
  ): Promise<void>;
  minilm: MiniLM;
  chat: Chat;
  arrive(name: string, value: unknown): void;
  loader(
    figure: { model: Model },
    model: LargeModel,
    size: number,
    ready: HTMLElement,
  ): { element: HTMLElement; live: boolean; stop(): void };
  register<S extends object, G extends object>(kind: string, figure: Kind<S, G>): void;
  staticModel(state: Record<string, unknown>): Model;
  alive: WeakMap<Element, Alive>;
  failure(error: unknown): HTMLElement;
  mount(page: ParentNode): void;
  enter(id: string, kind: string, state: string): void;
}

declare var attnkit: Attnkit;
