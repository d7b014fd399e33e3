import { useRef, useState } from 'react'
import { recognizeFiles, type Recognition } from './recognize-files.ts'

/** The files that were chosen, and what they are; null while that is found out, and without files. */
export function useChosenFiles(): {
  files: readonly File[]
  found: Recognition | null
  choose: (files: readonly File[]) => void
} {
  const [state, setState] = useState<{ files: readonly File[]; found: Recognition | null }>({ files: [], found: null })
  const last = useRef<readonly File[]>([])
  return {
    ...state,
    choose: (files) => {
      last.current = files
      setState({ files, found: null })
      void recognizeFiles(files).then((found) => {
        // Others may have been chosen meanwhile.
        if (last.current === files) setState({ files, found })
      })
    },
  }
}
