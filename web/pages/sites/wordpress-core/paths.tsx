import type { PackageChecksum } from '#shared/responses/package-checksums.ts'
import { t } from './messages.ts'

const kinds = {
  changed: () => t('files.changed'),
  added: () => t('files.added'),
  missing: () => t('files.missing'),
} as const

/** Lists of changed, added and missing files; each opens its difference. `folder`: of all of them, with a slash at its end. */
export function Paths({
  lists,
  folder,
  onOpen,
}: {
  lists: Pick<PackageChecksum, 'changed' | 'added' | 'missing'>
  folder: string
  onOpen: (path: string) => void
}) {
  return (['changed', 'added', 'missing'] as const).map((kind) => {
    const paths = lists[kind]
    return paths.length === 0 ? null : (
      <details key={kind} open={paths.length <= 10} className="text-table">
        <summary className="cursor-pointer py-1 font-medium max-md:py-2.5">
          {kinds[kind]()} ({paths.length})
        </summary>
        <ul className="mt-1 grid gap-0.5 font-mono text-meta" translate="no">
          {paths.map((path) => (
            <li key={path}>
              <button
                type="button"
                aria-label={t('files.open', { path })}
                className="w-full rounded-xs py-0.5 text-left underline decoration-muted underline-offset-2 wrap-anywhere hover:decoration-2 touch:py-2"
                onClick={() => onOpen(`${folder}${path}`)}
              >
                {path}
              </button>
            </li>
          ))}
        </ul>
      </details>
    )
  })
}
