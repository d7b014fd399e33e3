/** `npm run gallery -- [--mockups FOLDER] [--roles owner,member] [--screens sites,users]`: screenshots of every screen. */
import { launch } from './launch.mjs'

await launch(import.meta.url, async (args) => {
  const { renderGallery } = await import('#tests/gallery/gallery.ts')
  await renderGallery(args)
})
