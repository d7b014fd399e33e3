/** One screenshot of the gallery. */
export interface Screenshot {
  /** Name in the gallery's folder. */
  file: string
  screen: string
  role: string
  /** Pixels. */
  width: number
  theme: 'light' | 'dark'
  /** Image of the mockups to put beside it, without theme and ending. */
  mockup: string | null
}

const escape = (text: string) => text.replaceAll(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)

function mockupFile({ mockup, width, theme }: Screenshot): string | null {
  if (mockup === null || width === 768) return null
  return width === 390 ? `${mockup}-390-${theme}.png` : `${mockup}-${theme}.png`
}

function figure(source: string, caption: string): string {
  const text = escape(caption)
  return `<figure><a href="${escape(source)}"><img loading="lazy" src="${escape(source)}" alt="${text}"></a><figcaption>${text}</figcaption></figure>`
}

/** Where the mockups are. */
export interface Mockups {
  folder: string
  /** Names of what it holds. */
  files: readonly string[]
}

/** The page: a section for each screen, every screenshot with its mockup beside it where there is one. */
export function galleryPage(screenshots: readonly Screenshot[], mockups: Mockups | null): string {
  const sections = Map.groupBy(screenshots, ({ screen }) => screen)
  const body = [...sections].map(([screen, own]) => {
    const figures = own.map((screenshot) => {
      const beside = mockupFile(screenshot)
      const caption = `${screenshot.role}, ${screenshot.width} px, ${screenshot.theme}`
      return (
        figure(screenshot.file, caption) +
        (beside !== null && mockups?.files.includes(beside)
          ? figure(`${mockups.folder}/${beside}`, `mockup of ${screen}, ${screenshot.theme}`)
          : '')
      )
    })
    return `<h2 id="${escape(screen)}">${escape(screen)}</h2><div>${figures.join('')}</div>`
  })
  const style = `body{font:14px/20px system-ui;margin:24px;background:#eee}div{display:flex;flex-wrap:wrap;gap:16px}
figure{margin:0;width:calc(50% - 8px)}img{width:100%;border:1px solid #999;background:#fff}`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screens</title><style>${style}</style><h1>Screens</h1>${body.join('')}</html>`
}
