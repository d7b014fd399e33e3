import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState } from '@codemirror/state'
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { useEffect, useEffectEvent, useRef } from 'react'
import { pageNonce } from '#web/lib/browser/page-nonce.ts'
import { languageOf } from './editor-languages.ts'
import { editorTheme } from './editor-theme.ts'

/**
 * A text editor with line numbers, search and the colors of the file's language. `content` is its first content; give it
 * another `key` for another one. Line breaks stay as they are in the file.
 */
export function CodeEditor({
  name,
  content,
  label,
  readOnly,
  onChange,
}: {
  name: string
  content: string
  label: string
  readOnly: boolean
  onChange: (content: string) => void
}) {
  const host = useRef<HTMLDivElement>(null)
  const changed = useEffectEvent(onChange)
  const first = useRef(content)
  useEffect(() => {
    if (!host.current) return
    const language = new Compartment()
    const view = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          EditorView.cspNonce.of(pageNonce()),
          EditorState.lineSeparator.of(first.current.includes('\r\n') ? '\r\n' : '\n'),
          EditorState.readOnly.of(readOnly),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
          lineNumbers(),
          foldGutter(),
          history(),
          drawSelection(),
          highlightSpecialChars(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          highlightSelectionMatches(),
          bracketMatching(),
          indentOnInput(),
          search({ top: true }),
          keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...foldKeymap, indentWithTab]),
          language.of([]),
          editorTheme,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.sliceDoc())
          }),
        ],
      }),
    })
    view.focus()
    let isGone = false
    void languageOf(name).then((extension) => {
      if (!isGone) view.dispatch({ effects: language.reconfigure(extension) })
    })
    return () => {
      isGone = true
      view.destroy()
    }
  }, [name, label, readOnly])
  return <div ref={host} className="h-full min-h-0 overflow-hidden" translate="no" dir="ltr" />
}
