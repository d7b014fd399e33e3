/** A number in WebAssembly's variable-length form. */
function encodeLeb128(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; ;) {
    const low = rest & 0x7f
    rest >>>= 7
    if (rest === 0) return [...bytes, low]
    bytes.push(low | 0x80)
  }
}

const text = (value: string): number[] => {
  const bytes = [...new TextEncoder().encode(value)]
  return [...encodeLeb128(bytes.length), ...bytes]
}
const section = (id: number, content: number[]): number[] => [id, ...encodeLeb128(content.length), ...content]

/**
 * A WebAssembly side module as Emscripten links it, with one string of JavaScript for the loader to evaluate
 * (`__em_js__…`, in the form `(arguments)<::>body`; see `loadWebAssemblyModule` of Emscripten's `libdylink.js`).
 */
export function sideModule(emJs: string): Buffer {
  const data = [...new TextEncoder().encode(emJs), 0]
  const bytes = [
    [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    // dylink.0, subsection 1: memory size and alignment, table size and alignment.
    section(0, [
      ...text('dylink.0'),
      1,
      ...encodeLeb128(encodeLeb128(data.length).length + 3),
      ...encodeLeb128(data.length),
      0,
      0,
      0,
    ]),
    section(2, [2, ...text('env'), ...text('memory'), 2, 0, 0, ...text('env'), ...text('__memory_base'), 3, 0x7f, 0]),
    // A constant global 0: the string's place, relative to the module's memory.
    section(6, [1, 0x7f, 0, 0x41, 0, 0x0b]),
    section(7, [1, ...text('__em_js__run'), 3, 1]),
    // The string, at __memory_base.
    section(11, [1, 0, 0x23, 0, 0x0b, ...encodeLeb128(data.length), ...data]),
  ]
  return Buffer.from(bytes.flat())
}
