import type { ComponentProps } from 'react'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { suggestedServers, type EligibleServers } from './eligible-servers.ts'
import { t } from './messages.ts'

/** Whether there can be more servers than are shown. */
const hasMore = ({ found, text }: EligibleServers): boolean =>
  text !== '' || (found.data?.length ?? 0) >= suggestedServers

/** Searches the servers to choose from, once there can be more than are shown. */
export function ServerSearch({ servers }: { servers: EligibleServers }) {
  if (!hasMore(servers)) return null
  return (
    <Input
      type="search"
      value={servers.text}
      aria-label={t('create.server_search')}
      placeholder={t('create.server_search')}
      onChange={(event) => servers.setText(event.target.value)}
      onKeyDown={(event) => {
        // The form around it is sent by its own fields.
        if (event.key === 'Enter') event.preventDefault()
      }}
    />
  )
}

/** Choice of an eligible server in a dialog; nothing where there is none. `unchosen` stands there until somebody has chosen. */
export function ServerField({
  servers,
  value,
  unchosen,
  field,
  ...more
}: {
  servers: EligibleServers
  value: string
  unchosen?: string | undefined
  field: ComponentProps<'select'>
} & Pick<ComponentProps<typeof Field>, 'label' | 'hint' | 'error'>) {
  if (servers.shown.length <= 1 && !hasMore(servers) && unchosen === undefined) return null
  return (
    <div className="grid gap-2">
      <Field {...more}>
        <Select {...field} value={unchosen === undefined ? value : ''}>
          {unchosen === undefined ? null : <option value="">{unchosen}</option>}
          {servers.shown.map((server) => (
            <option key={server.value} value={server.value}>
              {server.label ?? server.value}
            </option>
          ))}
        </Select>
      </Field>
      <ServerSearch servers={servers} />
    </div>
  )
}
