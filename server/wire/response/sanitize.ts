import sanitizeHtml from 'sanitize-html'
import { allowedTags, linkAttributes, linkSchemes, linkValues, removedWithText } from '#shared/rules/allowed-html.ts'

/** Longest input that is parsed, in characters. A notice is a sentence or two; the parser may need more than linear time. */
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
 * Returns safe HTML, well nested; sanitizing it again changes nothing. `tags: 'none'` removes every tag and leaves escaped
 * text. Input beyond 16,384 characters is cut off.
 */
export function sanitize(html: string, { tags = 'allowed' }: { tags?: 'allowed' | 'none' } = {}): string {
  const input = cleanText(html.slice(0, longest)).replace(/\r\n?/g, '\n')
  const rules = tags === 'none' ? { ...options, allowedTags: [] } : options
  // The second pass nests anew what stands together since the tags between are gone: `<p><table><p>` is `<p><p>` then.
  return sanitizeHtml(sanitizeHtml(input, rules), rules)
}

/** Removes control characters and halves of surrogate pairs; the parser makes such of `&#1;` and of tags that break off. */
function cleanText(text: string): string {
  return text.toWellFormed().replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '')
}

/** The attributes of a link; none when it leads where links may not lead, and its tag is removed then. */
function linkTo(href: string | undefined): sanitizeHtml.Attributes {
  const url = URL.parse(href ?? '')
  if (url === null || !linkSchemes.includes(url.protocol.slice(0, -1))) return {}
  // With a user in it, an address looks like one host and leads to another.
  if (url.username !== '' || url.password !== '') return {}
  return { href: url.href, ...linkValues }
}
