import { coreMutants } from './core-mutants.ts'
import { fieldMutants } from './field-mutants.ts'
import { gateMutants } from './gate-mutants.ts'
import { machineMutants } from './machine-mutants.ts'
import type { CodeMutant } from './mutant.ts'
import { requestMutants } from './request-mutants.ts'
import { storeMutants } from './store-mutants.ts'
import { uploadMutants } from './upload-mutants.ts'
import { wireMutants } from './wire-mutants.ts'

/** All mutants of the code. */
export const codeMutants: readonly CodeMutant[] = [
  ...storeMutants,
  ...gateMutants,
  ...fieldMutants,
  ...coreMutants,
  ...wireMutants,
  ...requestMutants,
  ...machineMutants,
  ...uploadMutants,
]
