/** Files fetched or on their way: fetching them again would be a question to the cache for each import. */
const fetches = new Map<string, Promise<void>>()

/** What the page itself came with: its entry, and the files the server named with it. */
function cameWithPage(file: string): boolean {
  return document.querySelector(`link[href="${file}"], script[src="${file}"]`) !== null
}

/** A file of the app did not come. */
export class FileMissing extends Error {}

async function fetchFile(file: string): Promise<void> {
  let response: Response
  try {
    response = await fetch(file)
    await response.arrayBuffer()
  } catch (cause) {
    throw new FileMissing(`${file} was not answered.`, { cause })
  }
  if (!response.ok) throw new FileMissing(`${file} was answered with ${response.status}.`)
}

function fetchOnce(file: string): Promise<void> {
  const known = fetches.get(file)
  if (known) return known
  const fetching = fetchFile(file)
  fetches.set(file, fetching)
  // What failed can be tried again.
  fetching.catch(() => fetches.delete(file))
  return fetching
}

/**
 * Every `import()` of the built app comes here (scripts/web-imports.ts) with the files it needs. They are fetched before
 * they are imported: most browsers remember for the life of the page that an import failed and never try again
 * (whatwg/html issue 6768), so a moment without network would lose that part of the app. The import itself then takes
 * them from the browser's cache. Rejects with
 * `FileMissing` when one cannot be fetched.
 * @param load the import
 * @param files paths from the root, the imported file and all it imports itself
 */
export async function fetchFirst<T>(load: () => Promise<T>, files: readonly string[] = []): Promise<T> {
  await Promise.all(files.filter((file) => !cameWithPage(file)).map(fetchOnce))
  return load()
}
