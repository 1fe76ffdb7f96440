extends RefCounted
## Arrow's own symbols, so that what Fletcher adds looks like Arrow in each of its themes.

const _SHEET := "res://assets/symbols.png"
const _SIDE := 48
const _CELLS := {
	"warning": Vector2i(1, 0),
	"play": Vector2i(4, 0),
	"target": Vector2i(5, 0),
	"eye": Vector2i(0, 1),
	"stop": Vector2i(2, 1),
	"menu": Vector2i(5, 1),
	"pulse": Vector2i(0, 2),
	"previous": Vector2i(1, 2),
	"next": Vector2i(2, 2),
	"undo": Vector2i(0, 3),
	"add": Vector2i(2, 3),
	"bookmark": Vector2i(4, 3),
	"refresh": Vector2i(1, 4),
	"settings": Vector2i(2, 4),
	"search": Vector2i(3, 4),
	"forbidden": Vector2i(3, 5),
	"broom": Vector2i(4, 5),
}


## The symbol as a texture; null where this Arrow keeps them elsewhere.
static func named(symbol: String) -> Texture2D:
	if not ResourceLoader.exists(_SHEET):
		return null
	var texture := AtlasTexture.new()
	texture.atlas = load(_SHEET)
	texture.region = Rect2(_CELLS[symbol] * _SIDE, Vector2i(_SIDE, _SIDE))
	return texture


## A button that is only a symbol, as those in the titles of Arrow's panels; its words are the tooltip.
static func button(symbol: String, words: String) -> Button:
	var made := Button.new()
	made.icon = named(symbol)
	if made.icon == null:
		made.text = words
	made.tooltip_text = words
	made.flat = true
	made.expand_icon = true
	made.icon_alignment = HORIZONTAL_ALIGNMENT_CENTER
	made.custom_minimum_size = Vector2(32, 28)
	return made
