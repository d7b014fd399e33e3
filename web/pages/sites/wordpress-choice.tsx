import { FormField } from '#web/documents/form/form-field.tsx'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { languageLabel } from './configurations/language-label.ts'
import { tChoice } from './choice-messages.ts'

/** Languages that are offered; others are installed later. */
const locales = [
  ...['en_US', 'en_GB', 'en_AU', 'en_CA', 'de_DE', 'de_DE_formal', 'de_AT', 'de_CH', 'fr_FR', 'fr_BE', 'fr_CA'],
  ...['es_ES', 'es_MX', 'es_AR', 'it_IT', 'nl_NL', 'nl_BE', 'pt_PT', 'pt_BR', 'da_DK', 'sv_SE', 'nb_NO', 'fi'],
  ...['pl_PL', 'cs_CZ', 'sk_SK', 'hu_HU', 'ro_RO', 'bg_BG', 'sl_SI', 'hr', 'lt_LT', 'lv', 'et', 'el', 'tr_TR'],
  ...['ru_RU', 'uk', 'he_IL', 'ar', 'fa_IR', 'hi_IN', 'th', 'vi', 'id_ID', 'ja', 'ko_KR', 'zh_CN', 'zh_TW'],
]

/** Language and version of a new WordPress. */
export function WordPressChoice({ control }: { control: FormControl }) {
  const choices = locales
    .map((value) => ({ value, label: languageLabel(value) }))
    .toSorted((a, b) => a.label.localeCompare(b.label))
  return (
    <div className="grid grid-cols-2 gap-4 max-md:grid-cols-1">
      <FormField
        control={control}
        name="initial_locale"
        label={tChoice('choice.language')}
        choices={choices}
        verbatim
        none={tChoice('choice.language_none')}
      />
      <FormField
        control={control}
        name="initial_version"
        label={tChoice('choice.version')}
        hint={tChoice('choice.version_hint')}
        autoComplete="off"
      />
    </div>
  )
}
