"""Operations: checked, measured, executed by an editor, compared with what it reports."""
