/**
 * `npm run texts`: every text of the product as JSON, for translators; `npm run texts -- FILE` tells what a file of
 * translations lacks, has too much of, or has wrong places in.
 */
import { launch } from './launch.mjs'

await launch(import.meta.url, async ([file]) => {
  const { checkLanguage, printTexts } = await import('./language-file.ts')
  if (file === undefined) await printTexts()
  else process.exitCode = (await checkLanguage(file)) ? 0 : 1
})
