/** The package has no types, and `punycode` alone names the module that Node deprecated (DEP0040). */
declare module 'punycode/punycode.es6.js' {
  /**
   * Decodes what follows `xn--` in a label (RFC 3492). The work grows with the square of its length.
   * @throws RangeError for text that is no punycode
   */
  export function decode(input: string): string
}
