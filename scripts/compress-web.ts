/** Compresses the built web app; `web-build.ts` runs it as a process of its own with the folder as its argument. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const compressible = /\.(?:js|css|svg|json|txt|webmanifest|ico)$/
const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/**
 * Writes `x.br` and `x.gz` next to each file worth compressing. HTML is excluded because the server fills it in for each
 * request.
 */
async function compressFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  await Promise.all(
    entries
      .filter((entry) => entry.isFile() && compressible.test(entry.name))
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name)
        const content = await readFile(path)
        if (content.length < 1024) return
        const [small, wide] = await Promise.all([
          compressBrotli(content, {
            params: {
              [constants.BROTLI_PARAM_QUALITY]: 11,
              [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
            },
          }),
          compressGzip(content, { level: 9 }),
        ])
        await Promise.all([writeFile(`${path}.br`, small), writeFile(`${path}.gz`, wide)])
      }),
  )
}

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('The folder of the built web app is missing.')
await compressFiles(folder)
