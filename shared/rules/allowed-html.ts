/**
 * HTML allowed in messages (docs/contracts/screens.md, section 9): ten tags, and links to http, https and mailto. Plain
 * data, used by the server's sanitizer (sanitize-html) and the browser's (DOMPurify).
 */

/** Allowed tags; other tags are removed and at most their text is kept. */
export const allowedTags = ['p', 'b', 'i', 'em', 'br', 'strong', 'ul', 'ol', 'li', 'a']

/** Attributes allowed on links; all other tags lose their attributes. */
export const linkAttributes = ['href', 'rel', 'target']

/** Attributes set on every link, so that the opened page gets no reference to ours. */
export const linkValues = { rel: 'noopener noreferrer nofollow', target: '_blank' }

/** Allowed link schemes. */
export const linkSchemes = ['http', 'https', 'mailto']

/** Elements removed with their text: it is code, or browsers parse it by different rules. */
export const removedWithText = [
  'script',
  'style',
  'title',
  'textarea',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'noscript',
  'plaintext',
  'template',
  'svg',
  'math',
  'object',
  'select',
]
