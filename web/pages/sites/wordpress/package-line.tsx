import type { ReactNode } from 'react'

/** A plugin or theme in its list: its name, version and `tags`, a second line, and what can be done to it. */
export function PackageLine({
  name,
  version,
  tags,
  detail,
  children,
}: {
  name: string
  version: string
  tags: ReactNode
  detail: ReactNode
  children: ReactNode
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-[1_1_240px]">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          <span translate="no" className="wrap-anywhere">
            {name}
          </span>
          <span className="font-normal text-muted">{version}</span>
          {tags}
        </p>
        <p className="line-clamp-2 text-table text-muted wrap-anywhere">{detail}</p>
      </div>
      {children ? (
        <div className="ml-auto flex flex-wrap items-center justify-end gap-x-2 gap-y-1.5">{children}</div>
      ) : null}
    </li>
  )
}
