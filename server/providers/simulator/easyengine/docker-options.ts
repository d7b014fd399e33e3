/** Reads options of Docker: `--key value`, `--key=value` and flags; what follows the first other word is not looked at. */
export function dockerOptions(words: readonly string[], valued: readonly string[], flags: readonly string[]) {
  const options: [string, string][] = []
  let at = 0
  for (; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (!word.startsWith('-')) break
    const [name = '', ...rest] = word.split('=')
    if (valued.includes(name)) options.push([name, rest.length > 0 ? rest.join('=') : (words[(at += 1)] ?? '')])
    else if (flags.includes(word)) options.push([word, ''])
    else return { options, rest: words.slice(at), unknown: name }
  }
  return { options, rest: words.slice(at), unknown: null }
}
