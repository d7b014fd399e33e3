import { Ellipsis, Network, Trash2, Undo2 } from 'lucide-react'
import { useState } from 'react'
import type { WordPressPlugin } from '#shared/responses/wordpress.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { SearchInput } from '#web/ui/form/search-input.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { Switch } from '#web/ui/form/switch.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Menu, MenuItem } from '#web/ui/overlay/menu.tsx'
import { AddPackageDialog } from './add-package-dialog.tsx'
import { t } from './messages.ts'
import { PackageLine } from './package-line.tsx'
import { matchesPlugin, pluginFilters, type PluginFilter } from './plugin-filter.ts'
import type { WordPress } from './use-wordpress.ts'
import { AddButton } from './add-button.tsx'

const filterLabels: Readonly<Record<PluginFilter, () => string>> = {
  all: () => t('plugins.all'),
  active: () => t('plugins.active'),
  inactive: () => t('plugins.inactive'),
  updates: () => t('plugins.updates'),
}

/** The plugins of a site, with what can be done to each. */
export function PluginsCard({ wordpress, plugins }: { wordpress: WordPress; plugins: readonly WordPressPlugin[] }) {
  const [text, setText] = useState('')
  const [filter, setFilter] = useState<PluginFilter>('all')
  const [adding, setAdding] = useState(false)
  const [deleting, setDeleting] = useState<WordPressPlugin | null>(null)
  const rows = plugins.filter((plugin) => matchesPlugin(plugin, filter, text))
  return (
    <Card aria-labelledby="wordpress-plugins">
      <CardHead id="wordpress-plugins" title={t('plugins.title')} subtitle={String(plugins.length)} lined>
        <AddButton held={wordpress.jobsHeld} label={t('plugins.add')} onClick={() => setAdding(true)} />
      </CardHead>
      {plugins.length === 0 ? null : (
        <div className="flex flex-wrap items-center gap-2 border-b border-hairline px-4 py-2">
          <SearchInput className="md:w-56" label={t('plugins.search')} text={text} onChange={setText} />
          <Select
            small
            aria-label={t('plugins.show')}
            value={filter}
            onChange={(event) => setFilter(pluginFilters.find((one) => one === event.target.value) ?? 'all')}
          >
            {pluginFilters.map((one) => (
              <option key={one} value={one}>
                {filterLabels[one]()}
              </option>
            ))}
          </Select>
        </div>
      )}
      {rows.length === 0 ? (
        <EmptyState title={plugins.length === 0 ? t('plugins.none') : t('plugins.no_match')} />
      ) : (
        <ul className="divide-y divide-hairline">
          {rows.map((plugin) => (
            <PluginLine
              key={`${plugin.kind} ${plugin.id}`}
              plugin={plugin}
              wordpress={wordpress}
              onDelete={() => setDeleting(plugin)}
            />
          ))}
        </ul>
      )}
      {adding ? <AddPackageDialog site={wordpress.site} type="plugin" onClose={() => setAdding(false)} /> : null}
      {deleting ? (
        <AlertDialog
          open
          onOpenChange={() => setDeleting(null)}
          title={t('plugins.delete_title', { name: deleting.name })}
          confirmLabel={t('plugins.delete_confirm')}
          onConfirm={async () => {
            await wordpress.change('set_plugin', { plugin: deleting.id, do: 'delete' }, { key: deleting.id })
            setDeleting(null)
          }}
        >
          {t('plugins.delete_text')}
        </AlertDialog>
      ) : null}
    </Card>
  )
}

function PluginLine({
  plugin,
  wordpress: { facts, held, jobsHeld, changing, change },
  onDelete,
}: {
  plugin: WordPressPlugin
  wordpress: WordPress
  onDelete: () => void
}) {
  const { id, name, kind, active, network, update, previous, managed } = plugin
  const isOwn = kind === 'plugin'
  const before = { plugin_active: active, plugin_network: network }
  const toggle = () => {
    if (jobsHeld === null)
      void change('set_plugin', { plugin: id, do: active ? 'deactivate' : 'activate' }, { key: id, before })
  }
  return (
    <PackageLine
      name={name}
      version={plugin.version}
      tags={
        <>
          {isOwn && active ? <Tag tone="ok">{t(network ? 'plugins.network' : 'plugins.active')}</Tag> : null}
          {kind === 'must_use' ? <Tag>{t('plugins.must_use')}</Tag> : null}
          {kind === 'drop_in' ? <Tag>{t('plugins.drop_in')}</Tag> : null}
          {update ? <Tag tone="warn">{t('wp.update', { version: update })}</Tag> : null}
        </>
      }
      detail={managed ? t('plugins.managed') : <span translate="no">{plugin.description || plugin.author}</span>}
    >
      {isOwn ? (
        <>
          <Switch
            label={t('plugins.auto')}
            checked={plugin.auto_update}
            disabled={held !== null || changing !== null}
            busy={changing === `auto ${id}`}
            onChange={(enabled) =>
              void change(
                'set_plugin',
                { plugin: id, do: enabled ? 'auto_update_on' : 'auto_update_off' },
                { key: `auto ${id}` },
              )
            }
          />
          {update ? (
            <Button
              size="md"
              busy={changing === `update ${id}`}
              aria-disabled={jobsHeld === null ? undefined : true}
              title={jobsHeld ?? undefined}
              aria-label={t('plugins.update_of', { name, version: update })}
              onClick={() =>
                jobsHeld === null
                  ? void change('set_plugin', { plugin: id, do: 'update' }, { key: `update ${id}` })
                  : undefined
              }
            >
              {t('plugins.update')}
            </Button>
          ) : null}
          <Button
            size="md"
            busy={changing === id}
            aria-disabled={jobsHeld === null ? undefined : true}
            title={jobsHeld ?? undefined}
            aria-label={t(
              network ? 'plugins.deactivate_all_of' : active ? 'plugins.deactivate_of' : 'plugins.activate_of',
              {
                name,
              },
            )}
            onClick={toggle}
          >
            {t(network ? 'plugins.deactivate_all' : active ? 'plugins.deactivate' : 'plugins.activate')}
          </Button>
          <Menu
            trigger={
              <IconButton size="md" label={t('plugins.menu_of', { name })}>
                <Ellipsis size={16} strokeWidth={1.75} aria-hidden="true" />
              </IconButton>
            }
          >
            {facts?.multisite ? (
              <MenuItem
                icon={<Network size={16} strokeWidth={1.75} aria-hidden="true" />}
                reason={network ? t('plugins.network') : jobsHeld}
                onSelect={() =>
                  void change('set_plugin', { plugin: id, do: 'activate', network: 1 }, { key: id, before })
                }
              >
                {t('plugins.activate_all')}
              </MenuItem>
            ) : null}
            <MenuItem
              icon={<Undo2 size={16} strokeWidth={1.75} aria-hidden="true" />}
              reason={previous === null ? t('plugins.none_kept') : jobsHeld}
              onSelect={() => void change('set_plugin', { plugin: id, do: 'rollback' }, { key: id })}
            >
              {previous === null ? t('plugins.roll_back_none') : t('plugins.roll_back', { version: previous })}
            </MenuItem>
            <MenuItem
              danger
              icon={<Trash2 size={16} strokeWidth={1.75} aria-hidden="true" />}
              reason={active ? t('plugins.delete_active') : jobsHeld}
              onSelect={onDelete}
            >
              {t('plugins.delete')}
            </MenuItem>
          </Menu>
        </>
      ) : null}
    </PackageLine>
  )
}
