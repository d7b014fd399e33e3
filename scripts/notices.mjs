/** `node scripts/notices.mjs`: writes THIRD-PARTY-NOTICES.md anew; `--check` only tells whether it is current. */
import { launch } from './launch.mjs'

await launch(import.meta.url, async (args) => {
  const { writeNotices } = await import('./notices-file.ts')
  await writeNotices({ check: args.includes('--check') })
})
