/** The package has no types, and the plain import `punycode` resolves to the module that Node deprecated (DEP0040). */
declare module 'punycode/punycode.es6.js' {
  /**
   * Decodes the part of a label after `xn--` (RFC 3492). Takes quadratic time in its length.
   * @throws RangeError if the text isn't valid Punycode
   */
  export function decode(input: string): string
}
