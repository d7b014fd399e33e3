import { markup, type Html, type Part } from '../pages/markup.ts'

/** Renders `code` in backticks and **strong** text, as used in descriptions. */
export function renderMarkup(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/)
  return markup`${parts.map((part) =>
    part.startsWith('`') && part.length > 2
      ? markup`<code>${part.slice(1, -1)}</code>`
      : part.startsWith('**') && part.length > 4
        ? markup`<strong>${part.slice(2, -2)}</strong>`
        : part,
  )}`
}

/** Renders several paragraphs of such text. */
export function paragraphs(text: string): Html {
  return markup`${text.split('\n\n').map((one) => markup`<p>${renderMarkup(one)}</p>`)}`
}

/** A table that scrolls on its own in narrow windows. */
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

/** A code block. Blocks with kind `shell` are commands that work as shown, in page order. */
export function lines(kind: 'shell' | 'example', text: string): Html {
  return markup`<pre class="${kind}" tabindex="0"><code>${text}</code></pre>`
}

/** Inline code. */
export const code = (text: string): Html => markup`<code>${text}</code>`
