import { markup, type Html, type Part } from './markup.ts'

/** Resolves the target of a link; null shows its text alone. */
export type ResolveLink = (target: string) => string | null

const inline = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g

function renderInline(text: string, resolve: ResolveLink): Part[] {
  const parts: Part[] = []
  let end = 0
  for (const match of text.matchAll(inline)) {
    const [whole, code, strong, label, target] = match
    parts.push(text.slice(end, match.index))
    end = match.index + whole.length
    if (code !== undefined) parts.push(markup`<code>${code}</code>`)
    else if (strong !== undefined) parts.push(markup`<strong>${strong}</strong>`)
    else {
      const href = resolve(target ?? '')
      parts.push(href === null ? (label ?? '') : markup`<a href="${href}">${label ?? ''}</a>`)
    }
  }
  return [...parts, text.slice(end)]
}

function renderTable(lines: readonly string[], resolve: ResolveLink): Html {
  const rows = lines
    .filter((line) => !/^\|[\s|:-]+\|$/.test(line))
    .map((line) => line.replace(/^\||\|$/g, '').split('|'))
  return markup`<div class="wide" tabindex="0"><table><tbody>${rows.map(
    (cells) => markup`<tr>${cells.map((cell) => markup`<td>${renderInline(cell.trim(), resolve)}</td>`)}</tr>`,
  )}</tbody></table></div>`
}

function renderBlock(block: string, resolve: ResolveLink): Html {
  const lines = block.split('\n')
  const heading = /^(#{1,4}) (.*)$/.exec(lines[0] ?? '')
  if (heading?.[1] !== undefined) {
    const text = renderInline(heading[2] ?? '', resolve)
    const rest = lines.length > 1 ? renderBlock(lines.slice(1).join('\n'), resolve) : null
    const title = [
      markup`<h1>${text}</h1>`,
      markup`<h2>${text}</h2>`,
      markup`<h3>${text}</h3>`,
      markup`<h4>${text}</h4>`,
    ]
    return markup`${title[heading[1].length - 1] ?? null}${rest}`
  }
  if (block.startsWith('|')) return renderTable(lines, resolve)
  if (/^(?:[-*]|\d+\.) /.test(block)) {
    const items = block.split(/\n(?=(?:[-*]|\d+\.) )/).map((item) => item.replace(/^(?:[-*]|\d+\.) /, ''))
    return markup`<ul>${items.map((item) => markup`<li>${renderInline(item, resolve)}</li>`)}</ul>`
  }
  return markup`<p>${renderInline(block, resolve)}</p>`
}

/** Renders the Markdown that our own documentation uses: headings, paragraphs, lists, tables, code, links. */
export function renderMarkdown(source: string, resolve: ResolveLink): Html {
  // Code may have empty lines, so it is split off first.
  const parts = source.split(/^```[^\n]*\n([\s\S]*?)^```$/m)
  return markup`${parts.map((part, at) =>
    at % 2 === 1
      ? markup`<pre class="wide" tabindex="0">${part}</pre>`
      : part
          .split(/\n{2,}/)
          .map((block) => block.trim())
          .filter((block) => block !== '')
          .map((block) => renderBlock(block, resolve)),
  )}`
}
