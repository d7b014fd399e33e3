import { createElement, Fragment, type ReactNode } from 'react'
import { allowedTags, linkSchemes, linkValues, removedWithText } from '#shared/rules/allowed-html.ts'

/** Elements that begin on a line of their own, besides the allowed ones. */
const blocks = new Set(['div', 'table', 'tr', 'section', 'article', 'header', 'footer', 'center', 'blockquote', 'hr'])
const headings = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
/** Limits on what is shown: elements, and how deep they are nested. */
const maxNodes = 20_000
const maxDepth = 200

/**
 * Foreign HTML as React elements: the ten allowed tags without attributes, links to http, https and mailto, and the text of
 * everything else. The parsed document is inert: it loads nothing and runs nothing.
 */
export function htmlText(html: string): ReactNode {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  let left = maxNodes
  const childrenOf = (parent: Node, depth: number): ReactNode[] =>
    [...parent.childNodes].map((node, index) => <Fragment key={index}>{elementOf(node, depth)}</Fragment>)
  const elementOf = (node: Node, depth: number): ReactNode => {
    left -= 1
    if (left < 0) return null
    if (node.nodeType === Node.TEXT_NODE) return node.textContent
    if (!(node instanceof Element)) return null
    const tag = node.localName
    if (removedWithText.includes(tag)) return null
    if (depth > maxDepth) return '…'
    if (tag === 'br') return <br />
    if (tag === 'img') return node.getAttribute('alt')
    const children = childrenOf(node, depth + 1)
    if (tag === 'a') return linkOf(node.getAttribute('href'), children)
    if (headings.has(tag))
      return (
        <p>
          <strong>{children}</strong>
        </p>
      )
    if (tag === 'td' || tag === 'th') return <span className="mr-3">{children}</span>
    if (blocks.has(tag)) return <div>{children}</div>
    return allowedTags.includes(tag) ? createElement(tag, null, ...children) : children
  }
  return childrenOf(body, 0)
}

function linkOf(href: string | null, children: ReactNode): ReactNode {
  const url = URL.parse(href ?? '')
  const isAllowed =
    url !== null && linkSchemes.includes(url.protocol.slice(0, -1)) && url.username === '' && url.password === ''
  if (!isAllowed) return children
  return (
    <a href={url.href} {...linkValues} className="link">
      {children}
    </a>
  )
}
