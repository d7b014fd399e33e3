import sanitizeHtml from 'sanitize-html'
import { allowedTags, linkAttributes, linkSchemes, linkValues, removedWithText } from '#shared/rules/allowed-html.ts'

/** Maximum input length in characters. Notices are short, and the parser may take more than linear time. */
const longest = 16_384

const options: sanitizeHtml.IOptions = {
  allowedTags,
  allowedAttributes: { a: linkAttributes },
  allowedSchemes: linkSchemes,
  allowProtocolRelative: false,
  nonTextTags: removedWithText,
  nestingLimit: 50,
  transformTags: { a: (tagName, { href }) => ({ tagName, attribs: linkTo(href) }) },
  exclusiveFilter: ({ tag, attribs }) => (tag === 'a' && attribs['href'] === undefined ? 'excludeTag' : false),
  textFilter: cleanText,
}

/**
 * Returns safe, well-nested HTML; sanitizing it again changes nothing. `tags: 'none'` removes all tags and returns escaped
 * text. Input beyond 16,384 characters is cut off.
 */
export function sanitize(html: string, { tags = 'allowed' }: { tags?: 'allowed' | 'none' } = {}): string {
  const input = cleanText(html.slice(0, longest)).replace(/\r\n?/g, '\n')
  const rules = tags === 'none' ? { ...options, allowedTags: [] } : options
  // The second pass fixes nesting after tags were removed: `<p><table><p>` has become `<p><p>`.
  return sanitizeHtml(sanitizeHtml(input, rules), rules)
}

/** Removes control characters and unpaired surrogates; the parser creates them from `&#1;` and broken tags. */
function cleanText(text: string): string {
  return text.toWellFormed().replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '')
}

/** The attributes of a link; none if its target is not allowed, which removes the tag. */
function linkTo(href: string | undefined): sanitizeHtml.Attributes {
  const url = URL.parse(href ?? '')
  if (url === null || !linkSchemes.includes(url.protocol.slice(0, -1))) return {}
  // URLs with a user name look like one host but lead to another.
  if (url.username !== '' || url.password !== '') return {}
  return { href: url.href, ...linkValues }
}
