import { fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { packFiles } from '#web/lib/upload/pack-files.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { useSiteImport } from './use-site-import.tsx'

const api = apiServer()
const dropOf = (...files: readonly File[]) => ({ dataTransfer: { types: ['Files'], files } })
const archive = (name: string) => packFiles([new File(['x'], 'index.html')], name, new AbortController().signal)

function List() {
  const { area, dialog } = useSiteImport()
  return (
    <TooltipProvider>
      {area(<p>The sites</p>)}
      {dialog}
    </TooltipProvider>
  )
}

function open() {
  api.on(':method', () => ({ message: [] }))
  api.on('frappe.client.get_count', () => ({ message: 0 }))
  renderAs(owner, <List />, '/site')
  return screen.getByText('The sites')
}

test('an archive that is dropped on the list of sites is in the dialog, where another one can be dropped instead', async () => {
  const list = open()
  fireEvent.dragEnter(list, dropOf())
  expect(screen.getByText('Drop the archive here to import a site')).toBeTruthy()
  fireEvent.drop(list, dropOf(await archive('blog.zip')))
  expect(screen.queryByText('Drop the archive here to import a site')).toBeNull()
  expect(await screen.findByText('Recognized as a ZIP file')).toBeTruthy()
  expect(screen.getByText('blog.zip')).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('blog')

  fireEvent.drop(screen.getByText('blog.zip'), dropOf(await archive('shop.zip')))
  expect(await screen.findByText('shop.zip')).toBeTruthy()
  expect(screen.queryByText('blog.zip')).toBeNull()
  expect(await screen.findByText('Recognized as a ZIP file')).toBeTruthy()
  expect(await screen.findByText('There is no healthy server that you can use.')).toBeTruthy()
})

test('a link that is dragged over the list is no archive', () => {
  const list = open()
  fireEvent.dragEnter(list, { dataTransfer: { types: ['text/uri-list'] } })
  expect(screen.queryByText('Drop the archive here to import a site')).toBeNull()
  expect(fireEvent.drop(list, { dataTransfer: { types: ['text/uri-list'], files: [] } })).toBe(true)
  expect(screen.queryByRole('dialog')).toBeNull()
})
