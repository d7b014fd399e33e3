import type { ReactNode } from 'react'
import type { Doctype } from '#shared/doctype.ts'
import { RowActionMenu } from './action-menu.tsx'
import { rowDoc } from '../bulk/bulk-choices.ts'
import type { ListRow } from '../values/cells.tsx'
import { t } from './messages.ts'

/** Content of a row menu besides the document's actions. */
export interface RowMenuContent<R extends ListRow> {
  /** The page's entries (`MenuItem`), before the actions. */
  readonly before?: ((row: R) => ReactNode) | undefined
  /** The page's entries after the actions. */
  readonly after?: ((row: R) => ReactNode) | undefined
  /** What a row asks its reader to do: buttons beside the menu, in tables. */
  readonly button?: ((row: R) => ReactNode) | undefined
  /** Actions shown elsewhere on the page. */
  readonly except?: readonly string[] | undefined
}

/** The ⋯ menu of a row. */
export function RowMenu<R extends ListRow>({
  type,
  row,
  title,
  content,
}: {
  type: Doctype
  row: R
  /** Its name, distinct from those of the rows beside it. */
  title: string
  content: RowMenuContent<R>
}) {
  return (
    <RowActionMenu
      type={type}
      doc={rowDoc(type, row)}
      label={t('action.menu', { title })}
      before={content.before?.(row)}
      after={content.after?.(row)}
      except={content.except ?? []}
    />
  )
}
