import { createCatalog } from '#web/lib/i18n/catalog.ts'

/** Validation messages of forms. */
export const t = createCatalog({
  'check.required': '{label} is required.',
  'check.number': '{label} must be a number.',
  'check.whole': '{label} must be a whole number.',
  'check.min': '{label} must be at least {min}.',
  'check.max': '{label} must be at most {max}.',
  'check.choice': 'Choose one of the listed values.',
  'check.length': '{label} can have at most {length} characters.',
})
