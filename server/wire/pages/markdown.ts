import { GFM, parser } from '@lezer/markdown'
import { markup, type Html, type Part } from './markup.ts'

/** Resolves the target of a link; null shows its text alone. */
export type ResolveLink = (target: string) => string | null

const markdown = parser.configure(GFM)

type Node = ReturnType<typeof markdown.parse>['topNode']

const childrenOf = (node: Node): Node[] => {
  const children: Node[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child)
  return children
}

/** The id of a heading, as GitHub makes it: links within a document name it. */
const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- ]/gu, '')
    .replaceAll(' ', '-')

/** The cells of a row; null for empty ones, which the parser leaves out. */
function cellsOf(row: Node): (Node | null)[] {
  return childrenOf(row).flatMap((child) => {
    if (child.name === 'TableCell') return [child]
    return child.prevSibling?.name === 'TableDelimiter' ? [null] : []
  })
}

/** Renders Markdown of our own documentation. HTML in it is shown as text. */
export function renderMarkdown(source: string, resolve: ResolveLink): Html {
  const textOf = ({ from, to }: { from: number; to: number }) => source.slice(from, to)

  /** What is in a node: the text around its children, and these. */
  function within(node: Node): Part[] {
    const parts: Part[] = []
    let at = node.from
    for (const child of childrenOf(node)) {
      parts.push(source.slice(at, child.from), render(child))
      at = child.to
    }
    return [...parts, source.slice(at, node.to)]
  }

  function heading(node: Node): Html {
    const text = within(node)
    const id = anchorOf(source.slice(node.firstChild?.to ?? node.from, node.to).trim())
    const tag = { html: `h${node.name.slice(-1)}` }
    return markup`<${tag} id="${id}">${text}</${tag}>`
  }

  function row(node: Node): Html {
    const cells = cellsOf(node).map((cell) => cell && within(cell))
    return node.name === 'TableHeader'
      ? markup`<thead><tr>${cells.map((cell) => markup`<th scope="col">${cell}</th>`)}</tr></thead>`
      : markup`<tr>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`
  }

  function link(node: Node): Part {
    const url = node.getChild('URL')
    const href = url && resolve(textOf(url))
    return href === null ? within(node) : markup`<a href="${href}">${within(node)}</a>`
  }

  function render(node: Node): Part {
    switch (node.name) {
      case 'Paragraph':
        return node.prevSibling?.name === 'ListMark' ? within(node) : markup`<p>${within(node)}</p>`
      case 'BulletList':
        return markup`<ul>${within(node)}</ul>`
      case 'OrderedList':
        return markup`<ol>${within(node)}</ol>`
      case 'ListItem':
        return markup`<li>${within(node)}</li>`
      case 'FencedCode':
        return markup`<pre class="wide" tabindex="0">${node.getChildren('CodeText').map(textOf).join('')}</pre>`
      case 'Table':
        return markup`<div class="wide" tabindex="0"><table>${childrenOf(node).map(render)}</table></div>`
      case 'TableHeader':
      case 'TableRow':
        return row(node)
      case 'InlineCode':
        return markup`<code>${within(node)}</code>`
      case 'StrongEmphasis':
        return markup`<strong>${within(node)}</strong>`
      case 'Emphasis':
        return markup`<em>${within(node)}</em>`
      case 'Link':
        return link(node)
      case 'URL':
        return node.parent?.name === 'Link' ? null : textOf(node)
      case 'Escape':
        return source.slice(node.from + 1, node.to)
      default:
        if (node.name.startsWith('ATXHeading')) return heading(node)
        return /Mark$|^TableDelimiter$/.test(node.name) ? null : within(node)
    }
  }

  return markup`${render(markdown.parse(source).topNode)}`
}
