import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Input } from './input.tsx'

test.each([
  [true, 'the suffix stands directly behind the text'],
  [false, 'the suffix stands at the end of the box'],
])('with suffixFollows %s, %s', (suffixFollows, _what) => {
  render(
    <Input aria-label="Name" prefix="http://" suffix=".localhost" suffixFollows={suffixFollows} defaultValue="blog" />,
  )
  const input = screen.getByLabelText('Name')
  expect(input.nextElementSibling?.textContent).toBe('.localhost')
  expect(input.previousElementSibling?.textContent).toBe('http://')
  // The browser sizes the input by its content then.
  expect(input.className.includes('field-sizing-content')).toBe(suffixFollows)
})
