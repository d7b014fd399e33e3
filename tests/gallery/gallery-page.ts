/** One picture of the gallery. */
export interface Picture {
  /** Name in the gallery's folder. */
  file: string
  screen: string
  role: string
  /** Pixels. */
  width: number
  theme: 'light' | 'dark'
  /** Picture of the mockups to put beside it, without theme and ending. */
  mockup: string | null
}

const escape = (text: string) => text.replaceAll(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)

function mockupFile({ mockup, width, theme }: Picture): string | null {
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

/** The page: a section for each screen, every picture with its mockup beside it where there is one. */
export function galleryPage(pictures: readonly Picture[], mockups: Mockups | null): string {
  const sections = Map.groupBy(pictures, ({ screen }) => screen)
  const body = [...sections].map(([screen, own]) => {
    const figures = own.map((picture) => {
      const beside = mockupFile(picture)
      const caption = `${picture.role}, ${picture.width} px, ${picture.theme}`
      return (
        figure(picture.file, caption) +
        (beside !== null && mockups?.files.includes(beside)
          ? figure(`${mockups.folder}/${beside}`, `mockup of ${screen}, ${picture.theme}`)
          : '')
      )
    })
    return `<h2 id="${escape(screen)}">${escape(screen)}</h2><div>${figures.join('')}</div>`
  })
  const style = `body{font:14px/20px system-ui;margin:24px;background:#eee}div{display:flex;flex-wrap:wrap;gap:16px}
figure{margin:0;width:calc(50% - 8px)}img{width:100%;border:1px solid #999;background:#fff}`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screens</title><style>${style}</style><h1>Screens</h1>${body.join('')}</html>`
}
