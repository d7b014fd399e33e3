const tag = /<([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?)*)\s*\/?>/gi
const style = /\sstyle="([^"]*)"/i
const entities: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
}

/**
 * Prepares an email for a sandboxed frame. The page's CSP also applies there and only allows styles with its nonce, so
 * inline styles become rules of one style sheet. Links lose their target, because following one could sign in to someone's
 * account and would leave the frame.
 */
export function previewHtml(html: string, nonce: string): string {
  const rules: string[] = []
  const body = html.replaceAll(tag, (whole: string, name: string) => {
    if (name.toLowerCase() === 'style') return whole.replace(/<style/i, `<style nonce="${nonce}"`)
    const plain = name.toLowerCase() === 'a' ? whole.replace(/\shref=/i, ' data-href=') : whole
    return plain.replace(style, (_attribute, value: string) => {
      const text = value.replaceAll(/&(?:quot|#39|lt|gt|amp);/g, (entity) => entities[entity] ?? entity)
      // A value that could close its rule or the style sheet isn't from our templates.
      if (/[{}<]/.test(text)) return ''
      rules.push(`[data-look="${rules.length}"]{${text}}`)
      return ` data-look="${rules.length - 1}"`
    })
  })
  const sheet = `<style nonce="${nonce}">a{text-decoration:underline}${rules.join('')}</style>`
  const head = body.search(/<\/head>/i)
  return head < 0 ? sheet + body : body.slice(0, head) + sheet + body.slice(head)
}
