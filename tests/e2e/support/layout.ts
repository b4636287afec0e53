import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { CDPSession, ElectronApplication, Page } from 'playwright'

/** A window's content in physical pixels, and the zoom of its page. */
export interface WindowSize {
  width: number
  height: number
  zoom: number
}

/** The window size in which tests work. */
export const usualSize: WindowSize = { width: 1280, height: 800, zoom: 1 }

/** The usual size first, because tests are in it already; then from the smallest window at 200 % zoom to a 4K screen. */
export const windowSizes: readonly WindowSize[] = [
  usualSize,
  { width: 1280, height: 800, zoom: 1.5 },
  { width: 1024, height: 700, zoom: 2 },
  { width: 1024, height: 700, zoom: 1 },
  { width: 1920, height: 1080, zoom: 1 },
  { width: 3840, height: 2160, zoom: 1 },
]

/**
 * Larger windows than this width only get the layout of their size: the private displays of the tests are not larger, and without
 * a GPU drawing takes most of the time.
 */
const maxDrawnWidth = usualSize.width

/** The debugger's connection to a page, opened once for each. */
const debuggers = new WeakMap<Page, Promise<CDPSession>>()

/** Sets the window's size and zoom, and waits until the page has them. */
export async function resize(app: ElectronApplication, page: Page, size: WindowSize): Promise<void> {
  const connecting = debuggers.get(page) ?? page.context().newCDPSession(page)
  debuggers.set(page, connecting)
  const debug = await connecting
  if (size.width > maxDrawnWidth) {
    const { width, height } = size
    const metrics = { width, height, deviceScaleFactor: 0.5, mobile: false }
    await debug.send('Emulation.setDeviceMetricsOverride', metrics)
  } else {
    await debug.send('Emulation.clearDeviceMetricsOverride')
    await app.evaluate(({ BrowserWindow }, { width, height, zoom }) => {
      const [window] = BrowserWindow.getAllWindows()
      window?.setContentSize(width, height)
      window?.webContents.setZoomFactor(zoom)
    }, size)
  }
  await page.evaluate(waitForLayout, size)
}

/** Waits until the page has been drawn twice. Runs in the page. */
export async function framesDrawn(): Promise<void> {
  for (let frame = 0; frame < 2; frame += 1) await new Promise((done) => requestAnimationFrame(done))
}

/**
 * Waits until the page has a size and all animations with an end have ended. Runs in the page as one call, because a single call
 * takes longer than the wait.
 */
async function waitForLayout({ width, height, zoom }: WindowSize): Promise<void> {
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  const hasSize = () =>
    Math.abs(window.innerWidth - width / zoom) < 2 && Math.abs(window.innerHeight - height / zoom) < 2
  const giveUpAt = performance.now() + 20_000
  while (!hasSize()) {
    if (performance.now() > giveUpAt) throw new Error(`The window is ${innerWidth}x${innerHeight}.`)
    await frame()
  }
  // Resize observers have run after the second frame.
  await frame()
  await frame()
  // A dialog that is still growing has not its final size.
  const ending = document
    .getAnimations()
    .filter((each) => each.effect?.getComputedTiming().endTime !== Infinity)
  await Promise.allSettled(ending.map((each) => each.finished))
}

/** Saves a picture of the whole window; Playwright's screenshot is cut at another zoom than 100 %. */
async function savePicture(app: ElectronApplication, path: string): Promise<void> {
  const picture = await app.evaluate(async ({ BrowserWindow }) => {
    const image = await BrowserWindow.getAllWindows()[0]?.webContents.capturePage()
    return image?.toPNG().toString('base64') ?? ''
  })
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, Buffer.from(picture, 'base64'))
}

/** The layout issues of the current page at each of the sizes, one line per finding. */
export async function misfits(
  app: ElectronApplication,
  page: Page,
  what: string,
  sizes: readonly WindowSize[] = windowSizes,
): Promise<string[]> {
  const found: string[] = []
  for (const size of sizes) {
    await resize(app, page, size)
    const name = `${what} at ${size.width}x${size.height}, ${size.zoom * 100} %`
    const folder = process.env.PACKBENCH_PICTURES
    if (folder !== undefined) {
      const file = name.replaceAll(/[^\w.%-]+/g, '-')
      await savePicture(app, `${folder}/${file}.png`)
    }
    for (const finding of await page.evaluate(measure)) found.push(`${name}: ${finding}`)
  }
  return found
}

/**
 * Measures the open dialog or, without one, the whole page. Runs in the page, so it can't use variables of this
 * file.
 */
function measure(): string[] {
  const found = new Set<string>()
  const front = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1) ?? document.body
  // The page does not change while this runs, so properties that every inner element needs are cached.
  const styles = new Map<Element, CSSStyleDeclaration>()
  const unseen = new Map<Element, boolean>()
  const frames = new Map<Element, Frame>()
  const getStyle = (element: Element) => {
    const style = styles.get(element) ?? getComputedStyle(element)
    styles.set(element, style)
    return style
  }
  const toName = (element: Element) => {
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined
    const words = element.getAttribute('aria-label') ?? label ?? element.textContent ?? ''
    return `${element.tagName.toLowerCase()} «${words.trim().replaceAll(/\s+/g, ' ').slice(0, 60)}»`
  }
  const isScrolled = (overflow: string) => overflow === 'auto' || overflow === 'scroll'
  const isCut = (overflow: string) => overflow === 'hidden' || overflow === 'clip'

  function isShown(element: Element): boolean {
    if (!element.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true })) return false
    if (isUnseen(element)) return false
    const { width, height } = element.getBoundingClientRect()
    return width > 1 && height > 1
  }

  /** Whether an element or one of its ancestors is clipped away or hidden from assistive technology. */
  function isUnseen(element: Element): boolean {
    const known = unseen.get(element)
    if (known !== undefined) return known
    const around = element.parentElement
    const is =
      getStyle(element).clipPath !== 'none' ||
      element.getAttribute('aria-hidden') === 'true' ||
      (around !== null && isUnseen(around))
    unseen.set(element, is)
    return is
  }

  interface Box {
    left: number
    right: number
    top: number
    bottom: number
  }

  /** The properties of an element that determine how much of its content is visible. */
  interface Frame {
    isBox: boolean
    isFixed: boolean
    overflowX: string
    overflowY: string
    scrollLeft: number
    scrollTop: number
    inner: Box
    /** Whether it may shorten its text, because a title contains the whole text. */
    allowed: boolean
  }

  function frameOf(element: Element): Frame {
    const known = frames.get(element)
    if (known !== undefined) return known
    const { display, overflowX, overflowY, position, textOverflow, webkitLineClamp } = getStyle(element)
    const outer = element.getBoundingClientRect()
    const left = outer.left + element.clientLeft
    const top = outer.top + element.clientTop
    const shortened = textOverflow === 'ellipsis' || webkitLineClamp !== 'none'
    const hasTitle = () => element.closest('[title]') !== null || element.querySelector('[title]') !== null
    const frame: Frame = {
      ...{ overflowX, overflowY, scrollLeft: element.scrollLeft, scrollTop: element.scrollTop },
      isBox: display !== 'inline' && display !== 'contents',
      isFixed: position === 'fixed',
      inner: { left, right: left + element.clientWidth, top, bottom: top + element.clientHeight },
      allowed: shortened && hasTitle(),
    }
    frames.set(element, frame)
    return frame
  }

  /** The currently visible part of a box, or the element that makes a part of it permanently unreachable. */
  function reach(box: Box, from: Element | null): { seen: Box } | { cutBy: string } {
    let { left, right, top, bottom } = box
    for (let each = from; each; each = each.parentElement) {
      const { isBox, isFixed, overflowX, overflowY, scrollLeft, scrollTop, inner, allowed } = frameOf(each)
      if (!isBox) continue
      if (isCut(overflowX) && !allowed && (left < inner.left - 1 || right > inner.right + 1)) {
        return { cutBy: `${each.tagName.toLowerCase()}.${each.className} in its width` }
      }
      if (isCut(overflowY) && !allowed && (top < inner.top - 2 || bottom > inner.bottom + 2)) {
        return { cutBy: `${each.tagName.toLowerCase()}.${each.className} in its height` }
      }
      if (isScrolled(overflowX) && left + scrollLeft < inner.left - 1) {
        return { cutBy: 'the start of a scrolling area' }
      }
      if (isScrolled(overflowY) && top + scrollTop < inner.top - 2) {
        return { cutBy: 'the top of a scrolling area' }
      }
      if (overflowX !== 'visible') {
        left = Math.min(Math.max(left, inner.left), inner.right)
        right = Math.min(Math.max(right, inner.left), inner.right)
      }
      if (overflowY !== 'visible') {
        top = Math.min(Math.max(top, inner.top), inner.bottom)
        bottom = Math.min(Math.max(bottom, inner.top), inner.bottom)
      }
      if (isFixed) break
    }
    const outside = left < -1 || right > innerWidth + 1 || top < -1 || bottom > innerHeight + 1
    return outside ? { cutBy: 'the window' } : { seen: { left, right, top, bottom } }
  }

  const pen = document.createElement('canvas').getContext('2d')
  function textWidth(text: string, element: Element): number {
    const style = getStyle(element)
    if (pen === null) return 0
    pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
    return pen.measureText(text).width
  }

  function lookAtTexts(): void {
    const walker = document.createTreeWalker(front, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement
      if (!parent || (node.nodeValue ?? '').trim() === '' || !isShown(parent)) continue
      if (parent.closest('select, svg, script, style')) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      const box = range.getBoundingClientRect()
      if (box.width === 0) continue
      const reached = reach(box, parent)
      if ('cutBy' in reached) found.add(`text of ${toName(parent)} is cut by ${reached.cutBy}`)
      const cell = parent.closest('th, td')
      if (cell && getStyle(cell).overflowX === 'visible' && !parent.closest('[title]')) {
        const { left, right } = cell.getBoundingClientRect()
        if (box.right > right + 1 || box.left < left - 1) {
          found.add(`text of ${toName(parent)} sticks out of its cell`)
        }
      }
      let holder: Element = parent
      while (getStyle(holder).display === 'inline' && holder.parentElement) holder = holder.parentElement
      const around = holder.getBoundingClientRect()
      const style = getStyle(holder)
      if (style.overflowX === 'visible' && (box.right > around.right + 1 || box.left < around.left - 1)) {
        found.add(`text of ${toName(parent)} sticks out of its box`)
      }
    }
  }

  function lookAtFields(): void {
    for (const field of front.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')) {
      if (!isShown(field)) continue
      const style = getStyle(field)
      const room =
        field.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight)
      if (field instanceof HTMLSelectElement) {
        const text = field.selectedOptions[0]?.textContent ?? ''
        // The text must fit beside the arrow of a native select.
        if (field.title === '' && textWidth(text, field) > room + 1) {
          found.add(`${toName(field)} cuts its choice «${text}»`)
        }
        if (field.clientWidth < 120) found.add(`${toName(field)} is ${field.clientWidth} px wide`)
        continue
      }
      if (['checkbox', 'radio', 'file', 'range'].includes(field.type)) continue
      if (field.placeholder !== '' && field.title === '' && textWidth(field.placeholder, field) > room + 1) {
        found.add(`${toName(field)} cuts its placeholder «${field.placeholder}»`)
      }
      const short = field.inputMode === 'numeric' || field.inputMode === 'decimal' || field.type === 'number'
      const minWidth = short ? 72 : 120
      if (field.clientWidth < minWidth) found.add(`${toName(field)} is ${field.clientWidth} px wide`)
    }
  }

  /** The controls, each with the box that reacts to a click. */
  function targets(): { element: HTMLElement; box: DOMRect }[] {
    const selector = 'button, a[href], input, select, textarea, [role="tab"], [role="switch"], [role="grid"]'
    return [...front.querySelectorAll<HTMLElement>(selector)].flatMap((element) => {
      const isTick =
        element instanceof HTMLInputElement && (element.type === 'checkbox' || element.type === 'radio')
      const label = isTick ? element.labels?.[0] : undefined
      // A label around its input is the target; a label beside its input shares a row with it.
      const around = (label?.contains(element) ? label : label?.parentElement) ?? element
      return isShown(around) ? [{ element, box: around.getBoundingClientRect() }] : []
    })
  }

  function lookAtTargets(): void {
    const seen: { element: HTMLElement; box: Box; floats: Element | null }[] = []
    for (const { element, box } of targets()) {
      if (box.width < 24 || box.height < 24) {
        const inText = getStyle(element).display === 'inline'
        if (!inText) found.add(`${toName(element)} is a target of ${box.width} x ${box.height} px`)
      }
      if (element.classList.contains('mantine-Button-root') && box.height < 40) {
        found.add(`${toName(element)} is ${box.height} px high`)
      }
      const reached = reach(box, element.parentElement)
      if ('cutBy' in reached) found.add(`${toName(element)} is cut by ${reached.cutBy}`)
      else seen.push({ element, box: reached.seen, floats: floating(element) })
    }
    for (const [index, one] of seen.entries()) {
      for (const other of seen.slice(index + 1)) {
        const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left)
        const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top)
        if (wide <= 2 || high <= 2) continue
        if (one.element.contains(other.element) || other.element.contains(one.element)) continue
        // A sticky or fixed element covers only controls that can be scrolled out from under it.
        if (one.floats !== other.floats) continue
        const inOneField = one.element.closest('.mantine-Input-wrapper')
        if (inOneField !== null && inOneField === other.element.closest('.mantine-Input-wrapper')) continue
        found.add(`${toName(one.element)} overlaps ${toName(other.element)}`)
      }
    }
  }

  function floating(element: Element): Element | null {
    for (let each: Element | null = element; each; each = each.parentElement) {
      if (['sticky', 'fixed'].includes(getStyle(each).position)) return each
    }
    return null
  }

  function lookAtScrolling(): void {
    for (const element of [document.documentElement, document.body]) {
      if (element.scrollWidth > element.clientWidth + 1) found.add('the page scrolls sideways')
    }
    for (const element of front.querySelectorAll<HTMLElement>('*')) {
      const { overflowX, overflowY } = getStyle(element)
      if (element.getAttribute('role') === 'grid' || element.tagName === 'TEXTAREA') continue
      // A data table may scroll sideways where the window is too narrow for its columns.
      const isTable = element.firstElementChild?.tagName === 'TABLE' && innerWidth < 1000
      if (isScrolled(overflowX) && !isTable && element.scrollWidth > element.clientWidth + 1) {
        found.add(`${element.tagName.toLowerCase()}.${element.className} scrolls sideways`)
      }
      if (!isScrolled(overflowY) || element.scrollHeight <= element.clientHeight + 1) continue
      for (let each = element.parentElement; each; each = each.parentElement) {
        if (isScrolled(getStyle(each).overflowY) && each.scrollHeight > each.clientHeight + 1) {
          found.add(`${element.tagName.toLowerCase()}.${element.className} scrolls inside what scrolls`)
        }
      }
    }
  }

  /** Reports fields side by side whose inputs are not on one line. */
  function lookAtLines(): void {
    const fields = [...front.querySelectorAll('.mantine-InputWrapper-root')].flatMap((element) => {
      const input = element.querySelector('.mantine-Input-wrapper')
      return isShown(element) && input !== null ? [{ element, input }] : []
    })
    for (const [index, { element, input }] of fields.entries()) {
      const next = fields[index + 1]
      if (next === undefined || next.element.parentElement !== element.parentElement) continue
      const [one, other] = [element, next.element].map((each) => each.getBoundingClientRect())
      const isBeside = one && other && other.left >= one.right && other.top < one.bottom
      if (!isBeside) continue
      const [top, otherTop] = [input, next.input].map((each) => each.getBoundingClientRect().top)
      if (Math.abs((top ?? 0) - (otherTop ?? 0)) > 2) {
        found.add(`${toName(next.input)} is not on one line with ${toName(input)}`)
      }
    }
  }

  lookAtTexts()
  lookAtFields()
  lookAtLines()
  lookAtTargets()
  lookAtScrolling()
  return [...found]
}
