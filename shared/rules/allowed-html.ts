/**
 * HTML that may stand in a message (docs/contracts/screens.md, section 9): ten tags, and links to http, https and mailto. Data that
 * the sanitizer of the server (sanitize-html) and the one of a browser (DOMPurify) read alike.
 */

/** The tags that stay; of all others at most their text does. */
export const allowedTags = ['p', 'b', 'i', 'em', 'br', 'strong', 'ul', 'ol', 'li', 'a']

/** The attributes that stay on a link; no other tag keeps any. */
export const linkAttributes = ['href', 'rel', 'target']

/** What every link carries beside its address: the page it opens gets no hold of ours. */
export const linkValues = { rel: 'noopener noreferrer nofollow', target: '_blank' }

/** The schemes that a link may have. */
export const linkSchemes = ['http', 'https', 'mailto']

/** Elements that are removed with their text: it is code, or a browser parses it by other rules. */
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
