import { markup, type Html, type Part } from '../pages/markup.ts'

/** Text with `code` between back quotes and **strong** words, as descriptions are written. */
export function marked(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/)
  return markup`${parts.map((part) =>
    part.startsWith('`') && part.length > 2
      ? markup`<code>${part.slice(1, -1)}</code>`
      : part.startsWith('**') && part.length > 4
        ? markup`<strong>${part.slice(2, -2)}</strong>`
        : part,
  )}`
}

/** Several paragraphs of such text. */
export function paragraphs(text: string): Html {
  return markup`${text.split('\n\n').map((one) => markup`<p>${marked(one)}</p>`)}`
}

/** A table; it scrolls by itself where the window is narrow. */
export function table(caption: string, head: readonly string[], rows: readonly (readonly Part[])[]): Html {
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head.map((one) => markup`<th scope="col">${one}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first = '', ...rest]) =>
            markup`<tr>
              <th scope="row">${first}</th>
              ${rest.map((one) => markup`<td>${one}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`
}

/** Lines to copy. `kind` is `shell` for commands that work as they stand, in their order on the page. */
export function lines(kind: 'shell' | 'example', text: string): Html {
  return markup`<pre class="${kind}" tabindex="0"><code>${text}</code></pre>`
}

/** Inline code. */
export const code = (text: string): Html => markup`<code>${text}</code>`
