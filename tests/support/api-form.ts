/** Fields of a form body, urlencoded or multipart; files are skipped. */
export function parseForm(contentType: string, body: Buffer): Record<string, string> {
  if (contentType.toLowerCase().startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(body.toString('utf8')))
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return {}
  const fields: Record<string, string> = {}
  for (const part of body.toString('latin1').split(`--${boundary}`)) {
    const cut = part.indexOf('\r\n\r\n')
    if (cut < 0) continue
    const head = part.slice(0, cut)
    const name = /name="([^"]*)"/.exec(head)?.[1]
    const content = Buffer.from(part.slice(cut + 4).replace(/\r\n$/, ''), 'latin1')
    if (name !== undefined) fields[name] = /filename\*?=/i.test(head) ? '(file)' : content.toString('utf8')
  }
  return fields
}
