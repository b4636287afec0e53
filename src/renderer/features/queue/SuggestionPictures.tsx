import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Area, SizeMm } from '../../../shared/labels'
import type { PlacementQuestion } from '../../../shared/printing'
import { sizeText, suggestionText } from '../../i18n/texts'
import { Badge } from '../../ui/Badge'
import { putPicture } from '../../ui/PictureCanvas'
import { answerLooks, goodLook, warningLook } from '../../ui/tone'
import { type PlacementDraft, type PlacementSuggestion, toDraft } from './placementDraft'
import styles from './queue.module.css'

/** Longer side of a picture in CSS pixels; the canvas has twice as many pixels. */
const picturePixels = 120
/** A sheet of many labels shows only its first ones. */
const maxPictures = 4

interface SuggestionPicturesProps {
  question: PlacementQuestion
  chosen: number
  onChoose: (draft: PlacementDraft) => void
  /** Prints with the chosen suggestion. */
  onEnter: () => void
}

/**
 * The suggestions as they would be printed. Arrow keys choose one; characters don't, because a scanner sends them.
 */
export function SuggestionPictures({ question, chosen, onChoose, onEnter }: SuggestionPicturesProps) {
  const { t } = useTranslation()
  const { suggestions, stock } = question
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    onEnter()
  }
  const numbered = suggestions.map((suggestion, index) => ({ suggestion, index }))
  return (
    <div
      role="radiogroup"
      aria-label={t('placement.suggestions')}
      className={styles.suggestions}
      onKeyDown={onKeyDown}
    >
      <p className={styles.suggestionHint}>{t('placement.keys', { stock: sizeText(t, stock) })}</p>
      {numbered.map(({ suggestion, index }) => (
        <label key={index} className={styles.suggestion}>
          <input
            type="radio"
            name="suggestion"
            checked={index === chosen}
            onChange={() => onChoose(toDraft(suggestion))}
            data-autofocus={index === 0 || undefined}
          />
          <span className={styles.smallLabels}>
            {suggestion.areas.slice(0, maxPictures).map((area) => (
              <SmallLabel
                key={JSON.stringify(area)}
                question={question}
                draft={{ ...suggestion, areas: [area] }}
                pixels={suggestion.areas.length > 1 ? picturePixels / 2 : picturePixels}
              />
            ))}
          </span>
          <span>{suggestionText(t, suggestion, suggestions)}</span>
          <LossBadge suggestion={suggestion} />
        </label>
      ))}
    </div>
  )
}

/** The main drawback of a suggestion in one word. */
function LossBadge({ suggestion: { cut, leftOut, scale } }: { suggestion: PlacementSuggestion }) {
  const { t } = useTranslation()
  if (cut.length > 0) return <Badge look={answerLooks.error} text={t('placement.cuts')} />
  if (leftOut.length > 0) return <Badge look={warningLook} text={t('placement.leavesOut')} />
  if (scale !== 1) {
    return <Badge look={warningLook} text={t('placement.resized', { percent: Math.round(scale * 100) })} />
  }
  return <Badge look={goodLook} text={t('placement.whole')} />
}

/** What the chosen suggestion would lose; the page shows where. */
export function LossWords({ suggestion: { cut, leftOut } }: { suggestion: PlacementSuggestion }) {
  const { t } = useTranslation()
  const sizes = (areas: readonly Area[]) => areas.map((area) => sizeText(t, area)).join(', ')
  if (cut.length === 0 && leftOut.length === 0) return null
  return (
    <p role="note" className={styles.lossWords}>
      {cut.length > 0 ? t('placement.cutWords', { count: cut.length }) : null}{' '}
      {leftOut.length > 0 ? t('placement.leftOutWords', { sizes: sizes(leftOut) }) : null}
    </p>
  )
}

interface SmallLabelProps {
  question: PlacementQuestion
  /** A draft with a single area. */
  draft: PlacementDraft
  pixels: number
}

function SmallLabel({ question: { picture, page, stock }, draft, pixels }: SmallLabelProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const perMm = (2 * pixels) / Math.max(stock.widthMm, stock.heightMm)
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    const sheet = sheetFor(picture, page, perMm * draft.scale)
    if (context && sheet) drawLabel(context, { sheet, page, stock, draft, perMm })
  }, [picture, page, stock, draft, perMm])
  const [width, height] = [Math.round(stock.widthMm * perMm), Math.round(stock.heightMm * perMm)]
  return (
    <canvas
      ref={canvas}
      aria-hidden
      width={width}
      height={height}
      className={styles.smallLabel}
      style={{ width: width / 2, height: height / 2 }}
    />
  )
}

const sheets = new WeakMap<PlacementQuestion['picture'], HTMLCanvasElement[]>()

/** The smallest scaled picture of the page that is sharp enough; computed once for all suggestions. */
function sheetFor(
  picture: PlacementQuestion['picture'],
  page: SizeMm,
  perMm: number,
): HTMLCanvasElement | undefined {
  const sizes = sheets.get(picture) ?? toHalves(picture)
  sheets.set(picture, sizes)
  return sizes.findLast(({ width }) => width >= page.widthMm * perMm) ?? sizes[0]
}

/** Halves the picture repeatedly: scaling it down in one step would lose thin lines. */
function toHalves(picture: PlacementQuestion['picture']): HTMLCanvasElement[] {
  const whole = document.createElement('canvas')
  whole.width = picture.width
  whole.height = picture.height
  const context = whole.getContext('2d')
  if (!context) return []
  putPicture(context, picture)
  const sizes = [whole]
  for (let last = whole; last.width > 2 * picturePixels; ) {
    const half = document.createElement('canvas')
    half.width = Math.ceil(last.width / 2)
    half.height = Math.ceil(last.height / 2)
    half.getContext('2d')?.drawImage(last, 0, 0, last.width / 2, last.height / 2)
    sizes.push(half)
    last = half
  }
  return sizes
}

interface LabelDrawing {
  sheet: HTMLCanvasElement
  page: SizeMm
  stock: SizeMm
  draft: PlacementDraft
  perMm: number
}

/**
 * Draws a label as the rasteriser does: the area is rotated, scaled and centred on the stock, the rest stays blank.
 */
function drawLabel(
  context: CanvasRenderingContext2D,
  { sheet, page, stock, draft: { areas, turn, scale }, perMm }: LabelDrawing,
): void {
  const [area] = areas
  if (!area) return
  context.resetTransform()
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, context.canvas.width, context.canvas.height)
  context.imageSmoothingQuality = 'high'
  context.save()
  context.scale(perMm, perMm)
  context.translate(stock.widthMm / 2, stock.heightMm / 2)
  context.rotate((turn * Math.PI) / 180)
  context.scale(scale, scale)
  context.translate(-area.xMm - area.widthMm / 2, -area.yMm - area.heightMm / 2)
  context.beginPath()
  context.rect(area.xMm, area.yMm, area.widthMm, area.heightMm)
  context.clip()
  context.drawImage(sheet, 0, 0, page.widthMm, page.heightMm)
  context.restore()
}
