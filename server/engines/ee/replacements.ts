/** What WP-CLI replaces in a backup that was taken at one address, so that it serves at another. */
export const addressesFor = ({ url: before }: { readonly url: string }, url: string): string[] =>
  before === url ? [] : replacements(before, url)

/**
 * What WP-CLI replaces, as pairs of a regular expression and its replacement: addresses with a scheme, then those without one, also as JSON and
 * URLs write them. Neither longer names nor email addresses are touched. PHP would take the digit that a host begins with for a part of a group's
 * number, hence the braces.
 */
export function replacements(before: string, url: string): string[] {
  const [from, to] = [new URL(before), new URL(url)]
  const slashes = String.raw`((?:\\{0,3}/){2}|(?:%2f){2})`
  const host = `${from.host.replaceAll(/[^\w-]/g, String.raw`\$&`)}${String.raw`(?![\w-]|\.\w|:\d)`}`
  return [
    ...[`https?(:|%3a)${slashes}${host}`, `${to.protocol.slice(0, -1)}\${1}\${2}${to.host}`],
    ...[`${slashes}${host}`, `\${1}${to.host}`],
  ]
}
