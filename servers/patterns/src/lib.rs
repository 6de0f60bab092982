//! A searchable library of patterns.
