import { useState } from 'react'
import type { WordPressFacts, WordPressTheme } from '#shared/responses/wordpress.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { Switch } from '#web/ui/form/switch.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { AddButton } from './add-button.tsx'
import { AddPackageDialog } from './add-package-dialog.tsx'
import { t } from './messages.ts'
import { PackageLine } from './package-line.tsx'
import type { WordPress } from './use-wordpress.ts'

interface Question {
  readonly theme: WordPressTheme
  readonly action: 'activate' | 'delete'
}

/** The themes of a site, with what can be done to each. */
export function ThemesCard({ wordpress, facts }: { wordpress: WordPress; facts: WordPressFacts }) {
  const [question, setQuestion] = useState<Question | null>(null)
  const [adding, setAdding] = useState(false)
  const nameOf = (id: string) => facts.themes.find((theme) => theme.id === id)?.name ?? id
  return (
    <Card aria-labelledby="wordpress-themes">
      <CardHead id="wordpress-themes" title={t('themes.title')} subtitle={String(facts.themes.length)} lined>
        <AddButton held={wordpress.jobsHeld} label={t('themes.add')} onClick={() => setAdding(true)} />
      </CardHead>
      <ul className="divide-y divide-hairline">
        {facts.themes.map((theme) => (
          <ThemeLine
            key={theme.id}
            theme={theme}
            parent={theme.parent === null ? null : nameOf(theme.parent)}
            wordpress={wordpress}
            onAsk={(action) => setQuestion({ theme, action })}
          />
        ))}
      </ul>
      {adding ? <AddPackageDialog site={wordpress.site} type="theme" onClose={() => setAdding(false)} /> : null}
      {question ? (
        <AlertDialog
          open
          onOpenChange={() => setQuestion(null)}
          danger={question.action === 'delete'}
          title={t(question.action === 'delete' ? 'plugins.delete_title' : 'themes.activate_title', {
            name: question.theme.name,
          })}
          confirmLabel={t(question.action === 'delete' ? 'themes.delete_confirm' : 'themes.activate_confirm')}
          onConfirm={async () => {
            const { id } = question.theme
            const before = { active_theme: facts.themes.find(({ active }) => active)?.id }
            await wordpress.change('set_theme', { theme: id, do: question.action }, { key: id, before })
            setQuestion(null)
          }}
        >
          {t(question.action === 'delete' ? 'themes.delete_text' : 'themes.activate_text')}
        </AlertDialog>
      ) : null}
    </Card>
  )
}

function ThemeLine({
  theme,
  parent,
  wordpress: { facts, held, jobsHeld, changing, change },
  onAsk,
}: {
  theme: WordPressTheme
  parent: string | null
  wordpress: WordPress
  onAsk: (action: Question['action']) => void
}) {
  const { id, name, active, in_use, network, update } = theme
  const off = { 'aria-disabled': jobsHeld === null ? undefined : true, title: jobsHeld ?? undefined } as const
  return (
    <PackageLine
      name={name}
      version={theme.version}
      tags={
        <>
          {active ? <Tag tone="ok">{t('plugins.active')}</Tag> : null}
          {!active && in_use ? <Tag>{t('themes.parent')}</Tag> : null}
          {update ? <Tag tone="warn">{t('wp.update', { version: update })}</Tag> : null}
        </>
      }
      detail={parent === null ? <span translate="no">{theme.author}</span> : t('themes.child_of', { parent })}
    >
      {facts?.multisite ? (
        <Switch
          label={t('themes.network')}
          checked={network}
          disabled={held !== null || changing !== null}
          busy={changing === `network ${id}`}
          onChange={(enabled) =>
            void change('set_theme_network', { theme: id, enabled: enabled ? 1 : 0 }, { key: `network ${id}` })
          }
        />
      ) : null}
      <Switch
        label={t('plugins.auto')}
        checked={theme.auto_update}
        disabled={held !== null || changing !== null}
        busy={changing === `auto ${id}`}
        onChange={(enabled) =>
          void change(
            'set_theme',
            { theme: id, do: enabled ? 'auto_update_on' : 'auto_update_off' },
            { key: `auto ${id}` },
          )
        }
      />
      {update ? (
        <Button
          size="md"
          busy={changing === `update ${id}`}
          aria-label={t('plugins.update_of', { name, version: update })}
          onClick={() =>
            jobsHeld === null
              ? void change('set_theme', { theme: id, do: 'update' }, { key: `update ${id}` })
              : undefined
          }
          {...off}
        >
          {t('plugins.update')}
        </Button>
      ) : null}
      {theme.previous === null ? null : (
        <Button
          size="md"
          variant="ghost"
          busy={changing === `back ${id}`}
          aria-label={`${name}: ${t('plugins.roll_back', { version: theme.previous })}`}
          onClick={() =>
            jobsHeld === null
              ? void change('set_theme', { theme: id, do: 'rollback' }, { key: `back ${id}` })
              : undefined
          }
          {...off}
        >
          {t('plugins.roll_back', { version: theme.previous })}
        </Button>
      )}
      {active ? null : (
        <Button
          size="md"
          busy={changing === id}
          aria-label={t('plugins.activate_of', { name })}
          onClick={() => (jobsHeld === null ? onAsk('activate') : undefined)}
          {...off}
        >
          {t('plugins.activate')}
        </Button>
      )}
      {in_use ? null : (
        <Button
          size="md"
          variant="ghost"
          aria-label={t('plugins.delete_of', { name })}
          onClick={() => (jobsHeld === null ? onAsk('delete') : undefined)}
          {...off}
        >
          {t('plugins.delete')}
        </Button>
      )}
    </PackageLine>
  )
}
