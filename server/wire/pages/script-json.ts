/** JSON that is safe inside a script element. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Text that is safe between double quotes inside a script element. */
export function scriptText(text: string): string {
  return scriptJson(text).slice(1, -1)
}
