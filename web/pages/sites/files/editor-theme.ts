import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** Looks of the editor, from the app's own colors: they change with the theme by themselves. */
const looks = EditorView.theme({
  '&': { color: 'var(--fg)', backgroundColor: 'var(--surface)', fontSize: '13px', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '20px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--fg)', padding: '8px 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--fg)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--muted)', borderRight: '1px solid var(--hairline)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in oklab, var(--hover) 55%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection':
    { backgroundColor: 'var(--brand-line)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--brand-bg)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-bg)', outline: '1px solid var(--warn)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--brand-bg)',
    outline: '1px solid var(--brand-line)',
  },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--fg)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--border)' },
  '.cm-panel input, .cm-panel button': {
    backgroundColor: 'var(--surface)',
    backgroundImage: 'none',
    color: 'var(--fg)',
    border: '1px solid var(--input)',
    borderRadius: '4px',
  },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', border: '1px solid var(--border)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--sunken)', border: 'none', color: 'var(--muted)' },
})

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword], color: 'var(--brand-text)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.attributeValue], color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.color, tags.unit], color: 'var(--warn)' },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.tagName, tags.heading, tags.definition(tags.variableName), tags.className], color: 'var(--info)' },
  { tag: [tags.attributeName, tags.propertyName, tags.labelName], color: 'var(--bad)' },
  { tag: [tags.link, tags.url], color: 'var(--info)', textDecoration: 'underline' },
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--bad)' },
])

/** The editor's colors in both themes. */
export const editorTheme: Extension = [looks, syntaxHighlighting(colors)]
