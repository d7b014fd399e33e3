import { test } from 'vitest'
import { checkQuoting } from './quote-fixture.ts'

test('a shell passes 10,000 quoted arguments on as they are', () => checkQuoting(500))
