/** Imported for its effect: how long `findBy…` and `waitFor` wait, because code that loads on demand can take seconds. */
import { configure } from '@testing-library/react'

configure({ asyncUtilTimeout: 10_000 })
